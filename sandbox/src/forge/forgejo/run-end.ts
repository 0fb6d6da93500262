import { emit } from '../acts/hooks.js';
import { isDone, type Run, type Status } from '../state/actions.js';
import type { State } from '../state/state.js';
import { runJson } from './render.js';

/** The previous finished run of the same workflow and branch. */
function lastEnded(state: State, run: Run): Run | undefined {
  return [...state.runs.values()].findLast(
    (each) =>
      each.id < run.id &&
      each.repo === run.repo &&
      each.workflow === run.workflow &&
      each.branch === run.branch &&
      isDone(each.status),
  );
}

/** Forgejo only announces the end of a run; canceled and skipped ones count as failures. */
export function announceEnd(state: State, run: Run, before: Status): void {
  if (!isDone(run.status)) return;
  const last = lastEnded(state, run);
  const recovered = run.status === 'success' && last !== undefined && last.status !== 'success';
  const action = run.status !== 'success' ? 'failure' : recovered ? 'recover' : 'success';
  const type = `action_run_${action}`;
  emit(state, {
    event: type,
    type,
    repo: run.repo,
    sender: run.triggeredBy,
    bare: true,
    payload: (view) => ({
      action,
      run: runJson(view, run),
      prior_status: before,
      ...(last === undefined ? {} : { last_run: runJson(view, last) }),
    }),
  });
}
