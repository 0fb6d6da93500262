import { broken, refuse } from '../http/answer.js';
import type { Query } from '../http/query.js';
import type { Run, Status } from '../state/actions.js';
import { findUser } from '../state/find.js';
import type { State } from '../state/state.js';

const selects: Readonly<Record<string, readonly Status[]>> = {
  queued: ['waiting'],
  pending: ['blocked'],
  waiting: ['blocked'],
  requested: ['blocked'],
  action_required: ['blocked'],
  in_progress: ['running'],
  success: ['success'],
  failure: ['failure'],
  cancelled: ['cancelled'],
  timed_out: ['cancelled'],
  skipped: ['skipped'],
  neutral: ['skipped'],
  completed: ['success', 'failure', 'cancelled', 'skipped'],
};

/** Undefined: any. Filter values differ from reported ones. */
export function statusFilter(query: Query): ReadonlySet<Status> | undefined {
  const asked = query.all('status');
  if (asked.length === 0) return undefined;
  return new Set(
    asked.flatMap((value) => {
      const found = selects[value];
      if (found === undefined) throw refuse(400, `invalid status ${value}`);
      return found;
    }),
  );
}

/** Newest first. */
export function filterRuns(state: State, query: Query, runs: Iterable<Run>): Run[] {
  const statuses = statusFilter(query);
  const actor = query.text('actor');
  // An unknown actor causes a server error.
  if (actor !== undefined && findUser(state, actor) === undefined) throw broken();
  const wanted: ((run: Run) => boolean)[] = [
    (run) => statuses === undefined || statuses.has(run.status),
    (run) => actor === undefined || run.triggeredBy === findUser(state, actor),
    (run) => run.event === (query.text('event') ?? run.event),
    (run) => run.branch === (query.text('branch') ?? run.branch),
    (run) => run.sha === (query.text('head_sha') ?? run.sha),
  ];
  return [...runs].filter((run) => wanted.every((holds) => holds(run))).sort((a, b) => b.id - a.id);
}
