import { currentJobs, type Job, type Run } from '../state/actions.js';
import type { User } from '../state/people.js';
import type { State } from '../state/state.js';
import { addJobs, announce, updateRun } from './runs.js';

/** A new attempt: these jobs and their dependents start over, the others keep their result. */
export function rerun(state: State, actor: User, run: Run, again: readonly Job[] = currentJobs(run)): void {
  const before = currentJobs(run);
  const begun = new Set(again.map((job) => job.plan.name));
  // named in dependency order, as in the file
  for (const job of before) if (job.plan.needs.some((need) => begun.has(need))) begun.add(job.plan.name);
  run.attempt += 1;
  run.triggeredBy = actor;
  run.status = 'waiting';
  run.stuck = false;
  run.started = 0;
  run.completed = 0;
  addJobs(
    state,
    run,
    before.map((job) => job.plan),
  );
  for (const job of currentJobs(run)) if (!begun.has(job.plan.name)) carryOver(job, before);
  announce(state, run);
  updateRun(state, run);
}

/** Its jobs may now be taken. */
export function approve(state: State, run: Run): void {
  run.approval = 'given';
  updateRun(state, run);
}

function carryOver(job: Job, before: readonly Job[]): void {
  const old = before.find(({ plan }) => plan.name === job.plan.name);
  if (old === undefined) return;
  const { status, runner, started, completed, log } = old;
  Object.assign(job, { status, runner, started, completed, log, keptFrom: old.keptFrom ?? old.attempt });
}
