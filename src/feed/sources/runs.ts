import type { Page } from '../../forge/operation.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { advance, byTime, floorOf, isFresh } from '../diff.js';
import type { RepoRef } from '../event.js';
import type { FeedMark, Memory, Track } from '../mark.js';
import { ended, type RunRow, resultOf } from './run-events.js';
import { noLongerStuck, waitingRuns } from './run-watches.js';
import { pageCap, pageSize, probeSize, type Steps } from './source.js';

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
  const unasked = (before: Attempts = {}): Attempts =>
    Object.fromEntries(later.flatMap((id) => (before[id] === undefined ? [] : [[id, before[id]]])));

  const done = [...found.values()].filter(ended).map(rowOf);
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
    open: { ...unasked(open), ...stillOpen(found) },
    tracks: recent(tracks),
    waiting: { ...unasked(mark?.memory?.waiting), ...waiting.known },
    stuck: { ...unasked(mark?.memory?.stuck), ...stuck.known },
    ...(later.length > 0 && { askedTo: asked.at(-1) ?? 0 }),
    ...(mark?.memory?.lookedAt !== undefined && { lookedAt: mark.memory.lookedAt }),
  };
  const events = mark ? [...waiting.events, ...stuck.events, ...results] : [];
  const unfinished = [...found.values()].filter((run) => !ended(run));
  return { events, open: unfinished, mark: advance(mark, done, { now, growing: true, memory }), soon: false, capped };
}

function* newestRuns(
  mark: FeedMark | undefined,
  cap: number,
): Generator<RunsRequest, { runs: WorkflowRun[]; capped: boolean }, Runs> {
  const probe = yield { want: 'newest', page: 1, limit: mark ? probeSize : pageSize };
  const runs = [...probe.items];
  // ids increase with every run, so a known one ends the search
  const known = (page: Runs) =>
    !mark ||
    !page.hasMore ||
    page.items.some(
      (run) =>
        Object.hasOwn(mark.seen, rowOf(run).id) ||
        ((run.created_at?.getTime() ?? 0) < floorOf(mark) && run.id <= (mark.top ?? Number.POSITIVE_INFINITY)),
    );
  if (known(probe)) return { runs, capped: false };
  for (let page = 1; page <= cap; page++) {
    const answer: Runs = yield { want: 'newest', page, limit: pageSize };
    runs.push(...answer.items);
    if (known(answer)) return { runs, capped: false };
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
    if (!answer.hasMore || answer.items.some(ended)) break;
  }
  return runs;
}

/** As many single runs as one poll asks for; the next poll continues after the last of them. */
function inTurn(ids: readonly number[], after = 0): { readonly now: number[]; readonly later: number[] } {
  const next = [...ids.filter((id) => id > after), ...ids.filter((id) => id <= after)];
  return { now: next.slice(0, mostSingle), later: next.slice(mostSingle) };
}

const stillOpen = (found: ReadonlyMap<number, WorkflowRun>): Record<string, number> =>
  Object.fromEntries([...found.values()].filter((run) => !ended(run)).map((run) => [run.id, run.run_attempt]));

/** Branches come and go, so only the last thousand colors are kept. */
const recent = (tracks: Readonly<Record<string, Track>>): Record<string, Track> =>
  Object.fromEntries(
    Object.entries(tracks)
      .sort(([, a], [, b]) => (a.at < b.at ? 1 : -1))
      .slice(0, 1_000),
  );
