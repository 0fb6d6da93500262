import type { KnownBlock } from '@slack/types';
import { runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, flag, offset, optional, repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef, readRepository } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { ApiError, gather } from '../../forge/index.js';
import type { FailureKind } from '../../forge/operation.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { count, some } from '../../view/look.js';
import { message } from '../../view/message.js';
import { drawPage } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { age } from '../../view/when.js';
import { workflow } from '../workflows/dispatch.js';
import { findWorkflow } from '../workflows/enable.js';
import { gatherer } from './evidence.js';
import { cancelButton, runBlocks, showButton, stopsAll, workflowOf } from './read.js';

interface StuckRun {
  readonly run: WorkflowRun;
  readonly at: RepositoryRef;
  readonly symptoms: readonly string[];
  /** Asked to stop without confirmation: since when, as far as known. */
  readonly cancelling: { readonly since: Date | undefined } | undefined;
}

interface StuckRuns {
  readonly stuck: readonly StuckRun[];
  /** How many unfinished runs were checked. */
  readonly looked: number;
  readonly more: boolean;
  /** Why the runners' state could not be read, if so. */
  readonly runnersUnread: FailureKind | undefined;
  /** Undefined: all that were asked for. Otherwise this person may not see all runs of the forge. */
  readonly places: Places | undefined;
}

/** The repositories that were checked instead of the whole forge, most recently updated first. */
interface Places {
  readonly checked: number;
  /** There are more. */
  readonly more: boolean;
  /** Those whose runs could not be read. */
  readonly unread: readonly string[];
}

interface StuckQuery {
  /** Undefined: the whole forge. */
  readonly repository: RepositoryRef | undefined;
  readonly workflow?: string | undefined;
  readonly branch?: string | undefined;
}

const page = 50;
const mostRuns = 300;
const mostRepositories = 30;
const aWhileMs = 60_000;

const isOld = (moment: Date | undefined, now: Date) => !moment || now.getTime() - moment.getTime() >= aWhileMs;

interface OpenRuns {
  readonly runs: readonly WorkflowRun[];
  /** Those that were canceled, unconfirmed by their runner. */
  readonly cancelling: ReadonlySet<WorkflowRun>;
  readonly more: boolean;
}

/** A canceled run waiting for its runner is in the full list but not in the list of running ones. */
async function openRuns({ repository, branch }: StuckQuery, context: Context): Promise<OpenRuns> {
  const { api } = context;
  const list = (query: { status?: ('in_progress' | 'queued')[] }) => {
    const whole = { ...query, branch, exclude_pull_requests: true, limit: page };
    const max = mostRuns;
    return gather(
      repository
        ? api.runs.list.each({ ...repository, query: whole }, { max })
        : api.admin.listRuns.each({ query: whole }, { max }),
    );
  };
  const latest = await list({});
  const open = await list({ status: ['in_progress', 'queued'] });
  const known = new Set(open.map(({ id }) => id));
  const hidden = latest.filter(({ id, status }) => status === 'in_progress' && !known.has(id));
  const unended = await Promise.all(hidden.map((run) => stillRuns(run, repository, context)));
  const cancelling = hidden.filter((_, at) => unended[at]);
  return { runs: [...open, ...cancelling], cancelling: new Set(cancelling), more: open.length >= mostRuns };
}

/** It may have ended between the two requests. */
async function stillRuns(run: WorkflowRun, at: RepositoryRef | undefined, { api }: Context): Promise<boolean> {
  const where = at ?? readRepository(run.repository?.full_name ?? '', '');
  const now = where && (await ifAnswered(api.runs.get({ ...where, run: run.id })));
  return now === undefined || now.status === 'in_progress';
}

/** People who may not see all runs of the forge see those of their visible repositories, most recently updated first. */
async function visibleRuns(wanted: StuckQuery, context: Context): Promise<OpenRuns & Pick<StuckRuns, 'places'>> {
  try {
    return { ...(await openRuns(wanted, context)), places: undefined };
  } catch (error) {
    const shut = error instanceof ApiError && (error.kind === 'forbidden' || error.unsupported);
    if (wanted.repository || !shut) throw error;
  }
  const query = { sort: 'updated', order: 'desc', limit: mostRepositories } as const;
  const { items, hasMore } = await context.api.repos.search({ query });
  const named = items.filter(({ has_actions }) => has_actions).map(({ full_name }) => full_name);
  const read = await Promise.all(
    named.map(async (name) => {
      const repository = readRepository(name, '');
      return repository && ifAnswered(openRuns({ ...wanted, repository }, context));
    }),
  );
  const seen = read.filter((one) => one !== undefined);
  return {
    runs: seen.flatMap(({ runs }) => runs),
    cancelling: new Set(seen.flatMap(({ cancelling }) => [...cancelling])),
    more: seen.some(({ more }) => more),
    places: { checked: items.length, more: hasMore, unread: named.filter((_, at) => !read[at]) },
  };
}

/** Every unfinished run with its symptoms, without the healthy ones. */
async function findStuck(wanted: StuckQuery, context: Context): Promise<StuckRuns> {
  const { runs, cancelling, more, places } = await visibleRuns(wanted, context);
  const { symptoms: symptomsAt, runnersUnread } = await gatherer(context);
  const examined = runs
    .filter((run) => wanted.workflow === undefined || workflowOf(run) === wanted.workflow)
    .map(async (run): Promise<StuckRun[]> => {
      const at = wanted.repository ?? readRepository(run.repository?.full_name ?? '', '');
      if (!at) return [];
      const symptoms = await symptomsAt(at, run);
      const asked = cancelling.has(run) ? { since: run.updated_at } : undefined;
      return symptoms.length > 0 || asked ? [{ run, at, symptoms, cancelling: asked }] : [];
    });
  const stuck = (await Promise.all(examined)).flat();
  return { stuck, looked: runs.length, more, runnersUnread, places };
}

/** A regular cancel had its time and did not help. */
const cancelFailed = ({ cancelling }: StuckRun, now: Date) => cancelling !== undefined && isOld(cancelling.since, now);

interface StuckSearch {
  readonly repository?: RepositoryRef | undefined;
  readonly workflow?: string | undefined;
  readonly branch?: string | undefined;
  readonly from?: number | undefined;
}

type StuckFound = Awaited<ReturnType<typeof findStuckWithMeans>>;

/** What this forge can do about a stuck run. */
interface Means {
  readonly cancel: boolean;
  readonly force: boolean;
}

const perPage = 5;

/** Regular cancel first; force only if that did not help, or does not exist. */
const mayForce = (one: StuckRun, means: Means, now: Date) => means.force && (cancelFailed(one, now) || !means.cancel);

const forceButton = (text: string, [first, ...others]: readonly StuckRun[]) =>
  first &&
  runButton({
    text,
    command: 'run force-cancel',
    args: {
      run: { ...first.at, run: first.run.id },
      ...(others.length > 0 && { also: others.map(({ run }) => run.id) }),
    },
    ...stopsAll(1 + others.length),
  });

function card(one: StuckRun, means: Means, now: Date): KnownBlock[] {
  const { run, at, symptoms, cancelling: since } = one;
  const asked = since && `Canceled${since.since ? ` ${age(since.since, now)}` : ''}, but no runner has confirmed it.`;
  const end = mayForce(one, means, now)
    ? forceButton('Force-cancel', [one])
    : means.cancel && !since
      ? cancelButton(run, at)
      : undefined;
  const buttons = [end ?? showButton(run, at)];
  return runBlocks(run, at, { now, style: 'row', notes: [...symptoms, ...(asked ? [asked] : [])], buttons });
}

/** Several of one repository that only force can end. */
function together(stuck: readonly StuckRun[], means: Means, now: Date) {
  const byPlace = new Map<string, StuckRun[]>();
  for (const one of stuck.filter((each) => mayForce(each, means, now))) {
    const name = fullName(one.at);
    byPlace.set(name, [...(byPlace.get(name) ?? []), one]);
  }
  return [...byPlace]
    .filter(([, group]) => group.length > 1)
    .slice(0, 3)
    .map(([name, group]) => forceButton(`Force-cancel ${group.length} in ${name}`.slice(0, 70), group.slice(0, 50)));
}

function placeOf({ places }: StuckRuns): string {
  if (!places) return 'on the forge';
  const which = places.more ? `${places.checked} most recently updated repositories` : 'repositories';
  return `in the ${which} you can see${places.unread.length > 0 ? ', as far as Bellows could read them' : ''}`;
}

/** What could not be checked, and why. */
const nameUnchecked = ({ places, runnersUnread }: StuckRuns) => [
  places && places.unread.length > 0 ? md`could not read ${some(places.unread)}` : undefined,
  runnersUnread === 'forbidden' ? 'only site admins can see runners' : undefined,
  runnersUnread && runnersUnread !== 'forbidden' ? 'the runners could not be read' : undefined,
];

async function findStuckWithMeans({ repository, workflow, branch }: StuckSearch, context: Context) {
  const { capabilities } = context.forge;
  const wanted = { repository, workflow, branch };
  const found = await findStuck(wanted, context);
  // "Nothing is stuck" would be misleading for a workflow that does not exist
  if (repository && workflow && found.stuck.length === 0)
    await possible(findWorkflow({ repository, workflow }, context));
  const means = { cancel: await capabilities.has('runs.cancel'), force: await capabilities.has('runs.forceCancel') };
  return { found, wanted, means, remedy: await capabilities.remedy('runs.forceCancel') };
}

function stuckMessage({ found, wanted, means, remedy }: StuckFound, { from }: StuckSearch, { now }: Context) {
  const where = wanted.repository ? `in ${fullName(wanted.repository)}` : placeOf(found);
  const looked = quiet([
    `Checked ${count(found.looked, 'unfinished run')}${found.more ? ' (there are more)' : ''}`,
    ...nameUnchecked(found),
    means.force ? undefined : `force-cancel is not available: ${remedy}`,
  ]);
  if (found.stuck.length === 0) return message({ blocks: [section(md`✅ Nothing is stuck ${where}.`), looked] });
  const shown = drawPage(
    found.stuck,
    from ?? 0,
    perPage,
    (one) => card(one, means, now),
    (next) => turnButton({ text: 'Show more', command: 'run stuck', args: { ...wanted, from: next } }),
  );
  const many = found.stuck.length;
  const head = section(md`🩺 ${many} ${many === 1 ? 'run' : 'runs'} ${where} ${many === 1 ? 'looks' : 'look'} stuck.`);
  return message({ blocks: [head, ...shown, looked, actions(...together(found.stuck, means, now))] });
}

export const runStuck = command({
  name: 'run stuck',
  title: 'Find stuck runs',
  summary: 'Find stuck runs and why they look stuck',
  examples: ['run stuck', 'run stuck acme/engine', 'run stuck acme/engine --workflow ci.yml'],
  fields: {
    repository: optional(repository({ hint: 'Leave empty to search everything you can see.' })),
    workflow: flag(workflow()),
    branch: flag(branch()),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [
    'runs.list',
    'workflows.list',
    'admin.listRuns',
    'runs.get',
    'runs.listJobs',
    'runs.jobLog',
    'repos.search',
    'admin.listJobs',
    'admin.listRunners',
  ],
  needs: ['runs.list'],
  plan: ({ repository }) => [repository ? request('runs.list', repository) : request('admin.listRuns', {})],
  run: findStuckWithMeans,
  reply: stuckMessage,
});
