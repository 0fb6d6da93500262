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
  const found = new Map<number, WorkflowRun>();
  const add = ({ items }: Runs) => {
    for (const run of items) found.set(run.id, run);
  };
  const { runs, capped } = yield* newestRuns(mark, cap);
  for (const run of runs) found.set(run.id, run);
  add(yield { want: 'active', page: 1, limit: pageSize });
  const open = mark?.memory?.open ?? {};
  for (const id of Object.keys(open).map(Number)) {
    if (!found.has(id)) add(yield { want: 'one', run: id });
  }

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
    open: stillOpen(found),
    tracks: recent(tracks),
    waiting: waiting.known,
    stuck: stuck.known,
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

const stillOpen = (found: ReadonlyMap<number, WorkflowRun>): Record<string, number> =>
  Object.fromEntries([...found.values()].filter((run) => !ended(run)).map((run) => [run.id, run.run_attempt]));

/** Branches come and go, so only the last thousand colors are kept. */
const recent = (tracks: Readonly<Record<string, Track>>): Record<string, Track> =>
  Object.fromEntries(
    Object.entries(tracks)
      .sort(([, a], [, b]) => (a.at < b.at ? 1 : -1))
      .slice(0, 1_000),
  );
