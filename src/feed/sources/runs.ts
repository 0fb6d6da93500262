import type { Page } from '../../forge/operation.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { workflowFile } from '../../workflow-file.js';
import type { Event, EventOf, Outcome, RepoRef, RunFacts, RunNow } from '../event.js';
import { actorOf, runThread } from '../item.js';
import { advance, byTime, type FeedMark, floorOf, isFresh, type Memory, type Row, type Track } from '../mark.js';
import { pageCap, pageSize, probeSize, type Steps } from './source.js';

/** One color history per workflow and branch of a repository. */
const trackKey = (workflow: string, branch: string): string => `${workflow}\n${branch}`;

interface Ended {
  readonly id: number;
  readonly workflow: string;
  readonly branch: string;
  readonly outcome: Outcome;
  readonly at: string;
  readonly sha: string;
  readonly number: number;
  readonly url: string;
}

type Transition = NonNullable<RunFacts['transition']>;

/** Runs are numbered in the order of their commits: a rerun of an old one, or a slow one, says nothing about the branch now. */
const isOutdated = ({ last }: Track, { number }: Ended): boolean => number > 0 && number < (last?.number ?? 0);

/** First red, and green again; canceled or skipped runs do not change the color. */
function transition(
  track: Track | undefined,
  run: Ended,
): { readonly track: Track | undefined; readonly transition?: Transition } {
  if ((run.outcome !== 'failure' && run.outcome !== 'success') || (track && isOutdated(track, run))) return { track };
  const color = run.outcome === 'failure' ? 'red' : 'green';
  const last = { number: run.number, url: run.url, at: run.at };
  if (track?.color === color) return { track: { ...track, sha: run.sha, last } };
  const next: Track = { color, run: run.id, at: run.at, sha: run.sha, last };
  // the first run ever seen on a branch is news only if it failed
  if (!track && color === 'green') return { track: next };
  return {
    track: next,
    transition: {
      to: color,
      ...(color === 'green' && track && { since: track.run, brokenAt: track.at }),
      ...(color === 'red' && track?.sha && { green: track.sha }),
      ...(color === 'red' && track?.last && { lastGreen: track.last }),
    },
  };
}

type RunRow = Row & { readonly run: WorkflowRun };
type RunKind = Extract<Event['kind'], `runs:${string}`>;

const outcomes: ReadonlySet<string> = new Set(['failure', 'success', 'cancelled', 'skipped'] satisfies Outcome[]);
const isOutcome = (word: string | undefined): word is Outcome => word !== undefined && outcomes.has(word);

const hasEnded = (run: WorkflowRun): boolean => run.status === 'completed';

interface RunEventAbout {
  /** Within its source. */
  readonly id: string;
  readonly at: string;
  readonly facts?: Partial<RunFacts>;
  /** The run whose thread it belongs to, if that is another one. */
  readonly under?: number | undefined;
}

export function runEvent<K extends RunKind>(
  source: string,
  repo: RepoRef,
  kind: K,
  run: WorkflowRun,
  { id, at, facts, under = run.id }: RunEventAbout,
): Omit<EventOf<RunKind>, 'kind'> & { readonly kind: K } {
  const item = {
    kind: 'run',
    number: run.run_number,
    title: run.display_title,
    url: run.html_url,
    thread: runThread(under),
  } as const;
  const plain: RunFacts = {
    id: run.id,
    attempt: run.run_attempt,
    number: run.run_number,
    workflow: workflowFile(run.path),
    branch: run.head_branch,
    sha: run.head_sha,
    trigger: run.event,
    ...facts,
  };
  const actor = actorOf(run.trigger_actor ?? run.actor);
  return { v: 1, id: `${source}:${id}`, source, at, kind, repo, actor, item, run: plain };
}

/** A finished run, and whether it changed its branch's color. */
function resultOf(
  source: string,
  repo: RepoRef,
  { id, at, run }: RunRow,
  tracks: Record<string, Track>,
  mainBranch?: string,
): Event | undefined {
  if (!isOutcome(run.conclusion)) return undefined;
  const main = mainBranch !== undefined && run.head_branch === mainBranch;
  const when = new Date(at).toISOString();
  const key = trackKey(workflowFile(run.path), run.head_branch);
  const step = transition(tracks[key], {
    id: run.id,
    workflow: workflowFile(run.path),
    branch: run.head_branch,
    outcome: run.conclusion,
    at: when,
    sha: run.head_sha,
    number: run.run_number,
    url: run.html_url,
  });
  if (step.track) tracks[key] = step.track;
  const seconds =
    run.started_at && run.completed_at ? (run.completed_at.getTime() - run.started_at.getTime()) / 1_000 : undefined;
  const facts = {
    ...(seconds !== undefined && seconds >= 0 && { seconds }),
    ...(step.transition && { transition: step.transition }),
    ...(main && { main }),
  };
  // a fix belongs to the thread of the run that broke the branch, and so do further failures on the default branch
  const red = step.track?.color === 'red' ? step.track.run : undefined;
  const stillRed = main && !step.transition && run.conclusion === 'failure' ? red : undefined;
  const under = step.transition?.since ?? stillRed;
  return runEvent(source, repo, `runs:${run.conclusion}`, run, { id, at: when, facts, under });
}

type KnownAttempts = Readonly<Record<string, number>>;

interface Watched {
  readonly events: readonly Event[];
  readonly known: KnownAttempts;
}

/** The fork's pull request a run is waiting for; blocked runs of own branches wait for something else. */
function forkPull({ status, event, pull_requests }: WorkflowRun): number | undefined {
  if (status !== 'waiting' || !event.startsWith('pull_request')) return undefined;
  const pull = pull_requests.find(({ head, base }) => head?.repo && base?.repo && head.repo.id !== base.repo.id);
  return pull?.number;
}

const timeOfRun = (run: WorkflowRun): string => (run.updated_at ?? run.created_at ?? new Date(0)).toISOString();

const nowOf = ({ conclusion }: WorkflowRun): RunNow => (isOutcome(conclusion) ? conclusion : 'running');

/** Runs that need approval, once each, and those that no longer do. */
function waitingRuns(source: string, repo: RepoRef, runs: readonly WorkflowRun[], before: KnownAttempts = {}): Watched {
  const events: Event[] = [];
  const known: Record<string, number> = {};
  for (const run of runs) {
    const pull = forkPull(run);
    const wasKnown = before[run.id] === run.run_attempt;
    if (pull !== undefined) known[run.id] = run.run_attempt;
    if ((pull !== undefined) === wasKnown) continue;
    const facts = pull === undefined ? { now: nowOf(run) } : { waiting: { pull } };
    const id = `${run.id}.${run.run_attempt}.${pull === undefined ? 'approved' : 'waiting'}`;
    events.push(runEvent(source, repo, 'runs:waiting', run, { id, at: timeOfRun(run), facts }));
  }
  return { events, known };
}

/** Runs reported as stuck that have ended or were restarted. */
function noLongerStuck(
  source: string,
  repo: RepoRef,
  found: ReadonlyMap<number, WorkflowRun>,
  before: KnownAttempts = {},
): Watched {
  const events: Event[] = [];
  const known: Record<string, number> = {};
  for (const [id, attempt] of Object.entries(before)) {
    const run = found.get(Number(id));
    if (!run) continue;
    if (run.status !== 'completed' && run.run_attempt === attempt) known[id] = attempt;
    else {
      const facts = { now: nowOf(run) };
      events.push(
        runEvent(source, repo, 'runs:stuck', run, { id: `${id}.${attempt}.unstuck`, at: timeOfRun(run), facts }),
      );
    }
  }
  return { events, known };
}

/** newest: the plain list. active: unfinished ones, to see reruns of old runs. one: an open run that is in neither. */
export type RunsRequest =
  | { readonly want: 'newest' | 'active'; readonly page: number; readonly limit: number }
  | { readonly want: 'one'; readonly run: number };

type Runs = Page<WorkflowRun>;
type Attempts = Readonly<Record<string, number>>;

/** Requests for single runs in one poll. */
const mostSingle = 50;

const timeOf = (run: WorkflowRun): number => (run.completed_at ?? run.updated_at ?? run.created_at)?.getTime() ?? 0;

/** A run is identified by id and attempt; servers without attempts tell reruns apart by their end time. */
const rowOf = (run: WorkflowRun): RunRow => {
  const again = run.run_attempt > 0 ? String(run.run_attempt) : `0.${timeOf(run)}`;
  return { id: `${run.id}.${again}`, at: timeOf(run), run };
};

/** Runs change after they were created, so open ones are followed until they end. */
export function* pollRuns(
  source: string,
  repo: RepoRef,
  mark: FeedMark | undefined,
  { now, cap = pageCap, mainBranch }: { readonly now: number; readonly cap?: number; readonly mainBranch?: string },
): Steps<RunsRequest, WorkflowRun> {
  const { runs, capped } = yield* newestRuns(mark, cap);
  const found = new Map(runs.map((run) => [run.id, run]));
  for (const run of yield* activeRuns(cap)) found.set(run.id, run);
  const open = mark?.memory?.open ?? {};
  const { now: asked, later } = inTurn(
    Object.keys(open)
      .map(Number)
      .filter((id) => !found.has(id)),
    mark?.memory?.askedTo,
  );
  for (const id of asked) for (const run of (yield { want: 'one', run: id }).items) found.set(run.id, run);
  const keepUnasked = (before: Attempts = {}): Attempts =>
    Object.fromEntries(later.flatMap((id) => (before[id] === undefined ? [] : [[id, before[id]]])));

  const done = [...found.values()].filter(hasEnded).map(rowOf);
  const isNew = ({ id, at, run }: RunRow) =>
    mark !== undefined && (isFresh(mark, { id, at }) || (Object.hasOwn(open, run.id) && !Object.hasOwn(mark.seen, id)));
  const news = done.filter(isNew).sort(byTime);
  const tracks: Record<string, Track> = { ...mark?.memory?.tracks };
  const results = (mark ? news : done.sort(byTime)).flatMap(
    (row) => resultOf(source, repo, row, tracks, mainBranch) ?? [],
  );
  const waiting = waitingRuns(source, repo, [...found.values()], mark?.memory?.waiting);
  const stuck = noLongerStuck(source, repo, found, mark?.memory?.stuck);
  const memory: Memory = {
    open: { ...keepUnasked(open), ...stillOpen(found) },
    tracks: recent(tracks),
    waiting: { ...keepUnasked(mark?.memory?.waiting), ...waiting.known },
    stuck: { ...keepUnasked(mark?.memory?.stuck), ...stuck.known },
    ...(later.length > 0 && { askedTo: asked.at(-1) ?? 0 }),
    ...(mark?.memory?.lookedAt !== undefined && { lookedAt: mark.memory.lookedAt }),
  };
  const events = mark ? [...waiting.events, ...stuck.events, ...results] : [];
  const unfinished = [...found.values()].filter((run) => !hasEnded(run));
  return { events, open: unfinished, mark: advance(mark, done, { now, growing: true, memory }), soon: false, capped };
}

function* newestRuns(
  mark: FeedMark | undefined,
  cap: number,
): Generator<RunsRequest, { runs: WorkflowRun[]; capped: boolean }, Runs> {
  const probe = yield { want: 'newest', page: 1, limit: mark ? probeSize : pageSize };
  const runs = [...probe.items];
  // ids increase with every run, so a known one ends the search
  const isReached = (page: Runs) =>
    !mark ||
    !page.hasMore ||
    page.items.some(
      (run) =>
        Object.hasOwn(mark.seen, rowOf(run).id) ||
        ((run.created_at?.getTime() ?? 0) < floorOf(mark) && run.id <= (mark.top ?? Number.POSITIVE_INFINITY)),
    );
  if (isReached(probe)) return { runs, capped: false };
  for (let page = 1; page <= cap; page++) {
    const answer: Runs = yield { want: 'newest', page, limit: pageSize };
    runs.push(...answer.items);
    if (isReached(answer)) return { runs, capped: false };
  }
  return { runs, capped: true };
}

/** Page by page: one by one, hundreds of queued runs would be as many requests. */
function* activeRuns(cap: number): Generator<RunsRequest, WorkflowRun[], Runs> {
  const runs: WorkflowRun[] = [];
  for (let page = 1; page <= cap; page++) {
    const answer: Runs = yield { want: 'active', page, limit: pageSize };
    runs.push(...answer.items);
    // a server that does not filter would list its whole history
    if (!answer.hasMore || answer.items.some(hasEnded)) break;
  }
  return runs;
}

/** As many single runs as one poll asks for; the next poll continues after the last of them. */
function inTurn(ids: readonly number[], after = 0): { readonly now: number[]; readonly later: number[] } {
  const next = [...ids.filter((id) => id > after), ...ids.filter((id) => id <= after)];
  return { now: next.slice(0, mostSingle), later: next.slice(mostSingle) };
}

const stillOpen = (found: ReadonlyMap<number, WorkflowRun>): Record<string, number> =>
  Object.fromEntries([...found.values()].filter((run) => !hasEnded(run)).map((run) => [run.id, run.run_attempt]));

/** Branches come and go, so only the last thousand colors are kept. */
const recent = (tracks: Readonly<Record<string, Track>>): Record<string, Track> =>
  Object.fromEntries(
    Object.entries(tracks)
      .sort(([, a], [, b]) => (a.at < b.at ? 1 : -1))
      .slice(0, 1_000),
  );
