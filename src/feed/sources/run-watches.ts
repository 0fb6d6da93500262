import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { Event, RepoRef, RunNow } from '../event.js';
import { isOutcome, runEvent } from './run-events.js';

type Attempts = Readonly<Record<string, number>>;

interface Watched {
  readonly events: readonly Event[];
  readonly known: Attempts;
}

/** The fork's pull request a run is waiting for; blocked runs of own branches wait for something else. */
function forkPull({ status, event, pull_requests }: WorkflowRun): number | undefined {
  if (status !== 'waiting' || !event.startsWith('pull_request')) return undefined;
  const pull = pull_requests.find(({ head, base }) => head?.repo && base?.repo && head.repo.id !== base.repo.id);
  return pull?.number;
}

const timeOf = (run: WorkflowRun): string => (run.updated_at ?? run.created_at ?? new Date(0)).toISOString();

const nowOf = ({ conclusion }: WorkflowRun): RunNow => (isOutcome(conclusion) ? conclusion : 'running');

/** Runs that need approval, once each, and those that no longer do. */
export function waitingRuns(
  source: string,
  repo: RepoRef,
  runs: readonly WorkflowRun[],
  before: Attempts = {},
): Watched {
  const events: Event[] = [];
  const known: Record<string, number> = {};
  for (const run of runs) {
    const pull = forkPull(run);
    const wasKnown = before[run.id] === run.run_attempt;
    if (pull !== undefined) known[run.id] = run.run_attempt;
    if ((pull !== undefined) === wasKnown) continue;
    const facts = pull === undefined ? { now: nowOf(run) } : { waiting: { pull } };
    const id = `${run.id}.${run.run_attempt}.${pull === undefined ? 'approved' : 'waiting'}`;
    events.push(runEvent(source, repo, 'runs:waiting', run, { id, at: timeOf(run), facts }));
  }
  return { events, known };
}

/** Runs reported as stuck that have ended or were restarted. */
export function noLongerStuck(
  source: string,
  repo: RepoRef,
  found: ReadonlyMap<number, WorkflowRun>,
  before: Attempts = {},
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
        runEvent(source, repo, 'runs:stuck', run, { id: `${id}.${attempt}.unstuck`, at: timeOf(run), facts }),
      );
    }
  }
  return { events, known };
}
