import { sieve } from './operation.js';
import type { Issue, RepoCommit, Runner, WorkflowRun } from './schemas.js';

const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();

/** Filters that some servers ignore, applied here. */
export const runSieves = {
  branch: sieve<WorkflowRun, string>((run, branch) => run.head_branch === branch),
  actor: sieve<WorkflowRun, string>(
    (run, login) => same(run.actor?.login, login) || same(run.trigger_actor?.login, login),
  ),
  // newest first, and numbers only increase
  run_number: sieve<WorkflowRun, number>(
    (run, number) => run.run_number === number,
    (run, number) => run.run_number <= number,
  ),
};

export const issueSieves = {
  created_by: sieve<Issue, string>((issue, login) => same(issue.user?.login, login)),
};

const writtenAt = ({ commit, created }: RepoCommit) => (commit?.committer?.date ?? created)?.getTime() ?? 0;

/** Commit dates are not strictly ordered: each is checked, and none ends the search. */
export const commitSieves = {
  since: sieve<RepoCommit, string>((commit, since) => writtenAt(commit) >= Date.parse(since)),
  until: sieve<RepoCommit, string>((commit, until) => writtenAt(commit) <= Date.parse(until)),
};

export const runnerSieves = {
  disabled: sieve<Runner, boolean>((runner, disabled) => (runner.disabled ?? false) === disabled),
};
