import pMap from 'p-map';
import { type CommandButton, formButtonIfFits, runButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { type Event, unitsOf } from '../../feed/event.js';
import { lineOf } from '../../feed/events.js';
import { type Filter, needs, settingOf } from '../../feed/filter.js';
import { matches } from '../../feed/glob.js';
import { aboutItem, type ItemState, issueState, markBot, pullState } from '../../feed/item.js';
import { overlapMs } from '../../feed/mark.js';
import { plainPorts } from '../../feed/ports.js';
import { asksForFiles, changeIn, type Known, preview, teamsIn } from '../../feed/route.js';
import { replay } from '../../feed/sources/feed.js';
import { requestEvents } from '../../feed/sources/items.js';
import { pollRuns, type RunsRequest } from '../../feed/sources/runs.js';
import { type ChangedFiles, changedFiles } from '../../forge/changed-files.js';
import { type Api, ApiError, gather, isHidden, type Page } from '../../forge/index.js';
import { ifAnswered, isUnseen, unlessUnseen } from '../../forge/possible.js';
import { teamMembers } from '../../forge/review-requests.js';
import type { Activity, Repository, WorkflowRun } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import type { Place } from '../../store/index.js';
import { actions, list, context as quiet, section } from '../../view/blocks.js';
import { count, some } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { bold, join, md, readable } from '../../view/text.js';
import { date } from '../../view/when.js';
import { lookUp, unitReader } from '../repos/lookup.js';
import {
  allIn,
  type Found,
  type Named,
  nameTarget,
  readTarget,
  shownTitle,
  shownTitles,
  type Written,
} from './target.js';

const mostPages = 20;
const nothing: Page<WorkflowRun> = { items: [], total: undefined, hasMore: false };

/** Workflow runs that ended since then, as the events the worker would have made. */
async function runEvents(repo: Repository, since: number, api: Api): Promise<readonly Event[]> {
  const of = { id: repo.id, fullName: repo.full_name, url: repo.html_url, hidden: isHidden(repo) };
  const steps = pollRuns('preview', of, { v: 1, time: since + overlapMs, seen: {} }, { now: since, cap: mostPages });
  let step = steps.next();
  while (!step.done) step = steps.next(await ask(repo, step.value, api));
  return step.value.events;
}

async function ask(repo: Repository, request: RunsRequest, api: Api): Promise<Page<WorkflowRun>> {
  if (request.want !== 'newest') return nothing;
  const { owner, repo: name } = splitFullName(repo.full_name);
  const { page, limit } = request;
  try {
    return await api.runs.list({ owner, repo: name, query: { page, limit } });
  } catch (error) {
    // a repository or a server without workflows, or a person who may not see them
    if (isUnseen(error)) return nothing;
    throw error;
  }
}

const mostPulls = 20;

interface Requests {
  readonly events: readonly Event[];
  /** Not all pull requests were checked. */
  readonly capped: boolean;
}

const noRequests: Requests = { events: [], capped: false };

/** Review requests since then, as the events the worker would have made: they are in no feed. */
async function requestsSince(repo: Repository, since: number, api: Api): Promise<Requests> {
  const at = splitFullName(repo.full_name);
  const query = { type: 'pulls' as const, state: 'all' as const, since: new Date(since), limit: mostPulls };
  const pulls = await unlessUnseen(api.issues.list({ ...at, query }));
  const found = await pMap(
    pulls?.items ?? [],
    async (issue) => {
      const asking = api.issues.timeline.each(
        { ...at, index: issue.number, query: { since: new Date(since) } },
        { max: mostRows },
      );
      return requestEvents('preview', issue, (await ifAnswered(gather(asking))) ?? []);
    },
    { concurrency: statesAtOnce },
  );
  const events = found.flat().filter((event) => !('quiet' in event && event.quiet));
  return { events, capped: pulls?.hasMore ?? false };
}

/** States by thread; `unsure` if some could not be read. */
interface States {
  get(thread: string): ItemState | undefined;
  readonly unsure: boolean;
}

const mostEvents = 100;
const statesAtOnce = 4;

/** Whether this filter needs more than the feed provides. */
const asks = (filter: Filter): boolean =>
  [filter.labels, filter.notLabels, filter.authors, filter.notAuthors, filter.base].some(Boolean) ||
  settingOf(filter, 'drafts') === 'hide';

/** The current state of these events' items; read only if the filter needs it. */
async function itemStates(
  repo: Pick<Repository, 'full_name'>,
  events: readonly Event[],
  filter: Filter,
  api: Api,
): Promise<States> {
  const found = new Map<string, ItemState>();
  if (!asks(filter)) return { get: (thread) => found.get(thread), unsure: false };
  const wanted = new Map<string, Event>();
  for (const event of events) if (aboutItem(event) && event.item.thread) wanted.set(event.item.thread, event);
  // the newest matter most
  const all = [...wanted].reverse().slice(0, mostEvents);
  await pMap(
    all,
    async ([thread, event]) => {
      const state = await stateOf(repo, event, api);
      if (state) found.set(thread, state);
    },
    { concurrency: statesAtOnce },
  );
  return { get: (thread) => found.get(thread), unsure: found.size < wanted.size };
}

async function stateOf(repo: Pick<Repository, 'full_name'>, { item }: Event, api: Api): Promise<ItemState | undefined> {
  const { owner, repo: name } = splitFullName(repo.full_name);
  const where = { owner, repo: name, index: item.number ?? 0 };
  if (item.kind === 'pull') {
    const pull = await unlessUnseen(api.pulls.get(where));
    return pull && pullState(pull);
  }
  const issue = await unlessUnseen(api.issues.get(where));
  return issue && issueState(issue);
}

/** What these events changed, the newest first; read only if the filter needs it. */
async function filesOf(
  { full_name: name }: Pick<Repository, 'full_name'>,
  events: readonly Event[],
  filter: Filter,
  api: Api,
): Promise<ReadonlyMap<Event, ChangedFiles>> {
  if (!asksForFiles(filter)) return new Map();
  const newest = events.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const found = await pMap(
    newest,
    async (event, at): Promise<readonly [Event, ChangedFiles]> => {
      const change = changeIn(event);
      if (!change) return [event, { names: [] }];
      if (at >= mostEvents) return [event, { names: [], missing: 'older' }];
      return [event, await changedFiles(api, splitFullName(name), change)];
    },
    { concurrency: statesAtOnce },
  );
  return new Map(found);
}

interface Previewed {
  readonly seconds: number;
  readonly events: number;
  /** What would have been posted, newest first. */
  readonly kept: readonly Event[];
  readonly bots: number;
  /** What this preview does not know, as sentences. */
  readonly but: readonly string[];
}

const mostRepositories = 20;
const atOnce = 5;
const mostRows = 1_000;

/** What happened in one repository. */
interface Part {
  readonly repo: Pick<Repository, 'full_name'> & Partial<Pick<Repository, 'default_branch'>>;
  readonly rows: readonly Activity[];
  readonly capped: boolean;
  readonly runs: readonly Event[];
  readonly requests?: Requests;
  /** Whether the person may read these units; a row of the feed does not tell. */
  readonly reads?: ReturnType<typeof unitReader>;
}

/** Replays past events through the filter with the person's own permissions; stores nothing. */
export async function previewPast(
  { target, name, repositories }: Found,
  filter: Filter,
  seconds: number,
  { api, now, login, policy }: Context,
): Promise<Previewed> {
  const since = now.getTime() - seconds * 1_000;
  const sources =
    target.kind === 'user'
      ? await sourcesBy(name, since, api)
      : repositories.map((repo) => () => partOf(repo, filter, since, api));
  const read = sources.slice(0, mostRepositories);
  const but: string[] = [];
  if (read.length < sources.length)
    but.push(`Only the first ${read.length} of ${sources.length} repositories were checked.`);
  const members = await membersOf(filter, api);
  const parts = await pMap(
    read,
    async (source) => judgePart(await source(), filter, api, { subscriber: login, members, policy }),
    {
      concurrency: atOnce,
    },
  );
  if (parts.some(({ capped }) => capped))
    but.push(`Only the newest ${mostRows} entries${target.kind === 'user' ? '' : ' of each repository'} were checked.`);
  if (parts.some(({ cappedPulls }) => cappedPulls))
    but.push(`Review requests of only ${mostPulls} pull requests of each repository were checked.`);
  if (parts.some(({ unsure }) => unsure)) but.push('Labels of some older items could not be read.');
  if (parts.some(({ unsureFiles }) => unsureFiles))
    but.push('Not all changed files could be checked, so some events may not match the path.');
  if (filter.features?.queue) but.push('The merge queue is one card that changes, so it has no past to show.');
  const all = parts.flatMap(({ past }) => past);
  const kept = all.flatMap(({ kept }) => kept).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const sum = (of: (part: (typeof all)[number]) => number) => all.reduce((total, part) => total + of(part), 0);
  return { seconds, events: sum((part) => part.kept.length + part.dropped), kept, bots: sum(({ bots }) => bots), but };
}

/** The members of the teams it names. */
async function membersOf(filter: Filter, api: Api): Promise<NonNullable<Known['members']>> {
  const found = teamsIn(filter).map(async (team) => {
    const members = await ifAnswered(teamMembers(api, team));
    return [team, members?.map(({ login }) => login)] as const;
  });
  return new Map(await Promise.all(found));
}

type Reader = Pick<Known, 'subscriber' | 'members'> & Pick<Context, 'policy'>;

async function judgePart(part: Part, filter: Filter, api: Api, { policy: { bots }, ...reader }: Reader) {
  const { repo, rows, capped, requests = noRequests, reads } = part;
  const runs = part.runs.map((event) => markBot(event, bots));
  const feed: Event[] = [];
  for (const event of [...replay('preview', rows), ...requests.events])
    if (!reads || (await reads(unitsOf(event)))) feed.push(markBot(event, bots));
  const states = await itemStates(repo, feed, filter, api);
  const knownOf = (event: Event): Known => ({
    item: event.item.thread === undefined ? undefined : states.get(event.item.thread),
    defaultBranch: repo.default_branch,
    ...reader,
  });
  const all = [...feed, ...runs];
  const files = await filesOf(repo, preview(all, filter, knownOf).kept, filter, api);
  const knownWell = (event: Event): Known => ({ ...knownOf(event), files: files.get(event) });
  const past = [preview(feed, filter, knownWell), preview(runs, filter, knownWell)];
  const unsureFiles = asksForFiles(filter) && [...files.values()].some(({ missing }) => missing !== undefined);
  return { past, capped, unsure: states.unsure, unsureFiles, cappedPulls: requests.capped };
}

async function partOf(repo: Repository, filter: Filter, since: number, api: Api): Promise<Part> {
  const feed = await rowsSince(api.activity.repoFeed.each(splitFullName(repo.full_name), { max: mostRows }), since);
  const reads = unitReader(repo, api);
  const wanted = needs(filter);
  const [runs, requests] = await Promise.all([
    wanted.runs ? runEvents(repo, since, api) : [],
    wanted.requests ? requestsSince(repo, since, api) : noRequests,
  ]);
  return { repo, ...feed, runs, requests, reads };
}

/** A person's feed is read once, and each row says where it happened; runs are in no such feed. */
async function sourcesBy(username: string, since: number, api: Api) {
  const query = { 'only-performed-by': true };
  const feed = await rowsSince(api.activity.userFeed.each({ username, query }, { max: mostRows }), since);
  const byName = new Map<string, Activity[]>();
  // the channel's feed has no private rows, even if this person sees some
  for (const row of feed.rows.filter(({ is_private }) => !is_private)) {
    const name = row.repo?.full_name;
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  return [...byName].map(([name, rows]) => async (): Promise<Part> => {
    const found = await unlessUnseen(api.repos.get(splitFullName(name)));
    return { repo: found ?? { full_name: name }, rows, capped: feed.capped, runs: [] };
  });
}

async function rowsSince(
  feed: AsyncIterable<Activity>,
  since: number,
): Promise<{ readonly rows: readonly Activity[]; readonly capped: boolean }> {
  // offsets shift while pages are read, so a row may appear twice
  const rows = new Map<number, Activity>();
  try {
    for await (const row of feed) {
      if (row.created.getTime() < since) return { rows: [...rows.values()], capped: false };
      rows.set(row.id, row);
    }
  } catch (error) {
    // an empty or disabled part of a repository has no history
    if (!(error instanceof ApiError) || error.kind !== 'empty') throw error;
  }
  return { rows: [...rows.values()], capped: rows.size >= mostRows };
}

interface Result {
  readonly titles: readonly string[];
  readonly past: readonly Previewed[];
  readonly but: readonly string[];
  readonly seconds: number;
}

const examples = 3;
const longest = 600;

const days = (seconds: number): string =>
  seconds % 86_400 === 0 ? count(seconds / 86_400, 'day') : count(Math.round(seconds / 3_600), 'hour');

/** How many messages it would have been, how many by bots, and the newest. */
export function previewReply({ titles, past, but, seconds }: Result, goOn: CommandButton, { now }: Context): Message {
  const sum = (of: (each: Previewed) => number) => past.reduce((total, each) => total + of(each), 0);
  const kept = past.flatMap((each) => each.kept).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const [events, bots] = [sum((each) => each.events), sum((each) => each.bots)];
  const posted = bold(count(kept.length, 'message'));
  const says = md`🧪 In the last ${days(seconds)}, ${shownTitles(titles)} would have posted ${posted} here out of ${count(events, 'event')}. ${bots === 0 ? 'None' : bots} of the events came from bots.`;
  const lines = kept
    .slice(0, examples)
    .map((event) => md`• ${join([lineOf(event, undefined, plainPorts(now)), date(event.at, now)]).within(longest)}`);
  const notes = [...but, ...past.flatMap((each) => each.but)];
  const save = runButtonIfFits({ ...goOn, style: 'primary' });
  if (!save) notes.push('To go ahead, run it again without --preview');
  return message({
    text: says,
    blocks: [
      section(says),
      ...list(lines),
      quiet(['Nothing was changed or posted', ...new Set(notes)]),
      actions(save, formButtonIfFits({ ...goOn, text: 'Change' })),
    ],
  });
}

const fold = (text: string) => text.toLowerCase();
const mostNamed = 10;
const showTitles = (...titles: readonly string[]) => readable(some(titles.map(shownTitle), mostNamed).source);

export function nothingLike(text: string, all: readonly Named[]): UserError {
  if (all.length === 0)
    return new UserError('No subscriptions in this channel yet. Add one with /forge subscribe owner/repo.');
  const names = all.map(({ title }) => title);
  return new UserError(
    `This channel is not subscribed to ${showTitles(text)}. Its subscriptions: ${showTitles(...names)}.`,
  );
}

/** The channel's subscriptions these words refer to: one by name, several by pattern. */
export async function meantBy(text: string, all: readonly Named[], context: Context): Promise<readonly Named[]> {
  const exact = all.filter(({ title }) => fold(title) === fold(text));
  if (exact.length > 0) return exact;
  const written = readTarget(text);
  const before = await formerly(written, all, context);
  if (before.length > 0) return before;
  if (written?.kind === 'owner') {
    const glob = fold(`${written.owner}/${written.pattern}`);
    return all.filter(({ sub, title }) => sub.target.kind === 'repo' && matches(glob, fold(title)));
  }
  if (written?.kind === 'slack') {
    const login = await context.people.loginOf({ team: context.person.team, user: written.user });
    return login === undefined ? [] : all.filter(({ title }) => fold(title) === fold(`@${login}`));
  }
  return written?.kind === 'repo' ? withPresentNames(written, all, context) : [];
}

/** Words that were right before a repository or owner was renamed. */
async function formerly(written: Written | undefined, all: readonly Named[], { store }: Context): Promise<Named[]> {
  if (written?.kind !== 'repo' && written?.kind !== 'owner') return [];
  const name = written.kind === 'repo' ? fullName(written) : written.owner;
  const was = await store.subscriptions.formerly(name);
  const same = ({ sub: { target } }: Named) =>
    target.kind === was?.kind &&
    target.id === was.id &&
    (target.kind !== 'owner' || target.pattern === patternOf(written));
  return all.filter(same);
}

const patternOf = (written: Written) => (written.kind === 'owner' ? written.pattern : undefined);

/** The forge may have renamed it; its id stays, and the new name is shown from now on. */
async function withPresentNames(
  { owner, repo }: { readonly owner: string; readonly repo: string },
  all: readonly Named[],
  { api, store }: Context,
): Promise<readonly Named[]> {
  try {
    const found = await lookUp({ owner, name: repo }, api);
    const one = all.find(({ sub: { target } }) => target.kind === 'repo' && target.id === found?.id);
    if (!found || !one) return [];
    await store.subscriptions.rename(one.sub.target, found.full_name);
    return [await nameTarget(one.sub, store)];
  } catch (error) {
    // if the forge cannot be asked, that name is simply unknown
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Exactly one, or an error that lists what exists. */
export async function oneOf(text: string, place: Place, context: Context): Promise<Named> {
  const all = await allIn(place, context.store);
  const [one, another] = await meantBy(text, all, context);
  if (!one) throw nothingLike(text, all);
  if (another)
    throw new UserError(
      `${showTitles(text)} matches several subscriptions: ${showTitles(one.title)}, ${showTitles(another.title)}, … Choose one.`,
    );
  return one;
}
