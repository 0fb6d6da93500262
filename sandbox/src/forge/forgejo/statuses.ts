import { currentJobs, type Run, type Status } from '../state/actions.js';
import { type CommitStatus, fullName } from '../state/repo.js';
import type { State } from '../state/state.js';

const states: Readonly<Record<Status, CommitStatus['state']>> = {
  waiting: 'pending',
  blocked: 'pending',
  running: 'pending',
  cancelling: 'failure',
  success: 'success',
  failure: 'failure',
  cancelled: 'failure',
  skipped: 'success',
};

/** Each job is a status of its commit, by nobody; its address is a path without a host. */
export function noteStatuses(state: State, run: Run): void {
  const { repo } = run;
  currentJobs(run).forEach((job, nth) => {
    const context = `${run.workflow.replace(/\.ya?ml$/, '')} / ${job.plan.name} (${run.event})`;
    const before = repo.statuses.findLast((each) => each.sha === run.sha && each.context === context);
    if (before?.state === states[job.status]) return;
    repo.statuses.push({
      id: state.nextId('status'),
      sha: run.sha,
      context,
      state: states[job.status],
      description: '',
      targetUrl: `/${fullName(repo)}/actions/runs/${run.number}/jobs/${nth}`,
      creator: undefined,
      at: state.now(),
    });
  });
}
