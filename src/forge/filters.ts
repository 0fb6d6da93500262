import { rowFilter } from './operation.js';
import type { Issue, RepoCommit, Runner, WorkflowRun } from './schemas.js';

const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();

/** Filters that some servers ignore, applied here. */
export const runFilters = {
  branch: rowFilter<WorkflowRun, string>((run, branch) => run.head_branch === branch),
  actor: rowFilter<WorkflowRun, string>(
    (run, login) => same(run.actor?.login, login) || same(run.trigger_actor?.login, login),
  ),
  // newest first, and numbers only increase
  run_number: rowFilter<WorkflowRun, number>(
    (run, number) => run.run_number === number,
    (run, number) => run.run_number <= number,
  ),
};

export const issueFilters = {
  created_by: rowFilter<Issue, string>((issue, login) => same(issue.user?.login, login)),
};

const writtenAt = ({ commit, created }: RepoCommit) => (commit?.committer?.date ?? created)?.getTime() ?? 0;

/** Commit dates are not strictly ordered: each is checked, and none ends the search. */
export const commitSieves = {
  since: rowFilter<RepoCommit, string>((commit, since) => writtenAt(commit) >= Date.parse(since)),
  until: rowFilter<RepoCommit, string>((commit, until) => writtenAt(commit) <= Date.parse(until)),
};

export const runnerFilters = {
  disabled: rowFilter<Runner, boolean>((runner, disabled) => (runner.disabled ?? false) === disabled),
};
