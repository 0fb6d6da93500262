import { currentJobs, isDone, type Job, type Run } from '../state/actions.js';
import type { State } from '../state/state.js';
import { report, setJobs } from './runs.js';

const waitsForRunner = (job: Job): boolean =>
  (job.status === 'running' || job.status === 'cancelling') && job.runner?.confirms === true;

/** A runner that still responds confirms a moment after the request was answered. */
function confirmSoon(state: State, run: Run, job: Job): void {
  if (run.stuck || job.runner?.online !== true || job.runner.external) return;
  setImmediate(() => report(state, job, 'cancelled'));
}

/** Jobs nobody runs end at once; the others wait until their runner confirms. */
export function cancel(state: State, run: Run): void {
  const open = currentJobs(run).filter((job) => !isDone(job.status));
  const waiting = open.filter(waitsForRunner);
  setJobs(state, run, waiting, 'cancelling');
  setJobs(
    state,
    run,
    open.filter((job) => !waiting.includes(job)),
    'cancelled',
  );
  for (const job of waiting) confirmSoon(state, run, job);
}

/** Without waiting for anyone; later reports from the runner are ignored. */
export function forceCancel(state: State, run: Run): void {
  setJobs(
    state,
    run,
    currentJobs(run).filter((job) => !isDone(job.status)),
    'cancelled',
  );
}
