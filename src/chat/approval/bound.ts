import { z } from 'zod';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { unlessAbsent } from '../../forge/possible.js';
import type { SentRequest } from '../../view/cards/request.js';
import type { AnyCommand, Observation } from '../command.js';
import type { Context } from '../context.js';
import type { Args, Fields } from '../fields.js';
import { fullName, type ItemRef, type RepositoryRef, type RunRef, refOf } from '../references.js';
import { type Request, sentRequests } from '../request.js';
import { aboutOf } from './policy.js';

type Value = Observation['bound'][string];
type Values = Readonly<Record<string, Value>>;

export interface Bound {
  /** Must be the same on the deciding click and right before sending. */
  readonly values: Values;
  /** Exactly what would be sent, secrets masked. */
  readonly requests: readonly SentRequest[];
  readonly observation: Observation | undefined;
  /** Some of it cannot be read on this server. */
  readonly unobserved: boolean;
}

/** The requests with every default resolved, what the command observes, and the things behind the names in both. */
export async function boundOf(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  planned: readonly Request[],
  unobserved: 'refuse' | 'allow',
): Promise<Bound> {
  let missed = false;
  const readable = async <T>(reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (unobserved === 'refuse' || !(error instanceof ApiError) || !error.unsupported) throw error;
      missed = true;
      return undefined;
    }
  };
  const requests = await sentRequests(planned, context.forge);
  const observing = command.approval?.observe?.(args, context);
  const observation = observing ? await readable(observing) : { bound: {}, shown: [] };
  const named = namedIn(aboutOf(command, args, context), planned);
  const things = await Promise.all([
    ...named.map((each) => readable(thingsOf(each, named, context))),
    // bound even where the run itself cannot be read
    ...named.filter(({ run }) => run !== undefined).map((each) => readable(repositoryOf(each, context))),
    ...peopleIn(planned).map((login) => readable(accountOf(login, context))),
    ...planned.map((each) => readable(commitOf(each, context))),
  ]);
  const observed: Values = observation?.bound ?? {};
  refuseMixture(observed, Object.assign({}, ...things));
  const values = Object.assign({}, ...things, requestValues(requests), observed);
  return { values, requests, observation, unobserved: missed };
}

/** Reading takes a while: what changed in between belongs to neither state. */
function refuseMixture(observed: Values, later: Values): void {
  const read = Object.entries(observed).map(([name, value]) => [name, later[name] ?? value] as const);
  const changes = changesIn(observed, Object.fromEntries(read));
  if (changes.length > 0)
    throw new UserError(`It changed while it was being read: ${wordsOf(changes, observed, later)}. Ask again.`);
}

const Named = z.object({
  owner: z.string(),
  repo: z.string(),
  index: z.int().optional(),
  run: z.int().optional(),
});
type Named = z.infer<typeof Named>;

/** Each repository, item and run that the command or one of its requests names, once. */
function namedIn(about: readonly RepositoryRef[], planned: readonly Request[]): Named[] {
  const named = [...about, ...planned.flatMap(({ input }) => [input, input['body']])].flatMap(
    (each) => Named.safeParse(each).data ?? [],
  );
  return [...new Map(named.map((each) => [JSON.stringify(Object.values(each)), each])).values()];
}

async function thingsOf(named: Named, all: readonly Named[], context: Context): Promise<Values> {
  const { index, run, ...at } = named;
  const isOne = all.filter((each) => each.index !== undefined).length === 1;
  if (index !== undefined) return itemOf({ ...at, index }, isOne ? '' : ` of ${refOf({ ...at, index })}`, context);
  if (run !== undefined) return runOf({ ...at, run }, context);
  return repositoryOf(at, context);
}

async function repositoryOf(at: RepositoryRef, { api }: Context): Promise<Values> {
  return { [`repository ${fullName(at)}`]: (await unlessAbsent(api.repos.get(at)))?.id ?? null };
}

async function itemOf(item: ItemRef, of: string, context: Context): Promise<Values> {
  const { api } = context;
  const { id, pull_request } = await api.issues.get(item);
  const values = { ...(await repositoryOf({ owner: item.owner, repo: item.repo }, context)), [refOf(item)]: id };
  if (!pull_request) return values;
  const { head, base } = await api.pulls.get(item);
  return { ...values, [`head${of}`]: head?.sha ?? null, [`base${of}`]: base?.ref ?? null };
}

async function runOf(run: RunRef, context: Context): Promise<Values> {
  const { head_sha, run_attempt } = await context.api.runs.get(run);
  return { [`commit of run ${run.run}`]: head_sha, attempt: run_attempt };
}

const Ref = z.object({ owner: z.string(), repo: z.string(), body: z.object({ ref: z.string().startsWith('refs/') }) });

/** A workflow is started for a branch or tag: the commit behind it is what was approved. */
async function commitOf({ operation, input }: Request, { api }: Context): Promise<Values> {
  if (operation !== 'workflows.dispatch') return {};
  const { owner, repo, body } = Ref.parse(input);
  const commits = await unlessAbsent(api.repos.listCommits({ owner, repo, query: { sha: body.ref, limit: 1 } }));
  return { commit: commits?.items[0]?.sha ?? null };
}

const People = z.looseObject({ assignees: z.array(z.string()).catch([]), reviewers: z.array(z.string()).catch([]) });

const peopleIn = (planned: readonly Request[]): string[] =>
  planned.flatMap(({ input }) => {
    const { assignees, reviewers } = People.safeParse(input['body']).data ?? { assignees: [], reviewers: [] };
    return [...assignees, ...reviewers];
  });

async function accountOf(username: string, { api }: Context): Promise<Values> {
  return { [`account ${username}`]: (await unlessAbsent(api.users.get({ username })))?.id ?? null };
}

/** Fields whose names on the wire say little. */
const labels: Readonly<Record<string, string>> = {
  Do: 'merge style',
  head_commit_id: 'head',
  commit_id: 'head',
  delete_branch_after_merge: 'delete branch',
};

/** One value per field of each request; a second request's fields are told apart by its route. */
function requestValues(requests: readonly SentRequest[]): Values {
  const several = requests.length > 1;
  const all = requests.flatMap(({ route, input = [] }, at) => [
    [several ? `request ${at + 1}` : 'request', route] as const,
    ...input.map(([name, value]) => {
      const label = labels[name] ?? name.replaceAll('_', ' ');
      return [several ? `${label} of request ${at + 1}` : label, String(value)] as const;
    }),
  ]);
  return Object.fromEntries(all);
}

const statuses: Readonly<Record<string, string>> = { in_progress: 'in progress', completed: 'finished' };

/** A commit's first characters are enough for people, and a long text is only said to differ. */
function brief(value: Value | undefined): string {
  const text = String(value ?? 'unset');
  if (Object.hasOwn(statuses, text)) return statuses[text] ?? text;
  return text.length > 80 ? 'another text' : text.replace(/^([0-9a-f]{10})[0-9a-f]{30,}$/, '$1');
}

const changesIn = (before: Values, now: Values): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]),
  );

const wordsOf = (names: readonly string[], before: Values, now: Values): string =>
  names.map((name) => `${name} was ${brief(before[name])}, now ${brief(now[name])}`).join('; ');

/** What differs, in words; undefined if nothing does. */
export function difference(before: Values, now: Values): string | undefined {
  const names = changesIn(before, now);
  if (names.length === 0) return undefined;
  const [swapped] = names.filter((name) => typeof before[name] === 'number' && typeof now[name] === 'number');
  const [, kind, thing] = /^(repository|account) (.+)$/.exec(swapped ?? '') ?? [];
  if (kind !== undefined) return `${thing} is now another ${kind}.`;
  return `it changed since it was shown: ${wordsOf(names, before, now)}.`;
}

/** Refuses what was approved, because it is no longer what was shown. */
export class Changed extends UserError {}

/** For what is started by a branch or tag, which may have moved since the last look. */
export function refuseOtherCommit(commit: string, { approval }: Pick<Context, 'approval'>): void {
  if (approval?.commit === undefined) return;
  const changed = difference({ commit: approval.commit }, { commit });
  if (changed !== undefined) throw new Changed(changed);
}

/** The same request, or one with fewer entries in its lists: names that the forge refuses are left out and told. */
export function isApproved(sent: SentRequest, approved: SentRequest): boolean {
  const before = new Map(approved.input);
  const now = new Map(sent.input);
  const isPart = (name: string) => {
    const [whole, part] = [listIn(before.get(name)), listIn(now.get(name) ?? '[]')];
    return whole !== undefined && part?.every((each) => whole.includes(each)) === true;
  };
  const names = new Set([...before.keys(), ...now.keys()]);
  return (
    sent.route === approved.route && [...names].every((name) => before.get(name) === now.get(name) || isPart(name))
  );
}

function listIn(text: unknown): unknown[] | undefined {
  try {
    return z.array(z.unknown()).safeParse(JSON.parse(String(text))).data;
  } catch {
    return undefined;
  }
}
