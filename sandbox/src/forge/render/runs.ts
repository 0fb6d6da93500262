import { currentJobs, isDone, type Job, type Run, type Runner, type Status } from '../state/actions.js';
import { fullName, type Issue, type Pull, type Repo } from '../state/repo.js';
import { plainUser } from './people.js';
import { repoJson } from './repos.js';
import { apiUrl, type Json, stamp, type View } from './view.js';

/** Filter values (`pending`) differ from reported ones (`waiting`). */
const reported: Record<Status, string> = {
  waiting: 'queued',
  blocked: 'waiting',
  running: 'in_progress',
  cancelling: 'in_progress',
  success: 'completed',
  failure: 'completed',
  cancelled: 'completed',
  skipped: 'completed',
};

const conclusion = (status: Status): Json => (isDone(status) ? { conclusion: status } : {});

const branchOf = (view: View, repo: Repo, ref: string, sha: string): Json => ({
  ref,
  sha,
  repo: { id: repo.id, url: `${apiUrl(view)}/repos/${fullName(repo)}`, name: repo.name },
});

const minimalPull = (view: View, issue: Issue, pull: Pull): Json => ({
  id: pull.id,
  number: issue.index,
  url: `${apiUrl(view)}/repos/${fullName(issue.repo)}/pulls/${issue.index}`,
  head: branchOf(view, pull.headRepo ?? issue.repo, pull.head, pull.headSha),
  base: branchOf(view, issue.repo, pull.base, issue.repo.branches.get(pull.base) ?? ''),
});

const pullsOf = (view: View, run: Run): Json[] =>
  [...run.repo.issues.values()].flatMap((issue) =>
    issue.pull !== undefined && issue.state === 'open' && issue.pull.head === run.branch
      ? [minimalPull(view, issue, issue.pull)]
      : [],
  );

export function runJson(view: View, run: Run, withPulls = true): Json {
  const api = `${apiUrl(view)}/repos/${fullName(run.repo)}/actions/runs/${run.id}`;
  return {
    id: run.id,
    url: api,
    previous_attempt_url: run.attempt > 1 ? `${api}/attempts/${run.attempt - 1}` : null,
    html_url: `${view.state.site.url}/${fullName(run.repo)}/actions/runs/${run.id}`,
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    display_title: run.title,
    path: `${run.workflow}@${run.ref}`,
    event: run.event,
    run_attempt: run.attempt,
    run_number: run.number,
    head_sha: run.sha,
    head_branch: run.branch,
    status: reported[run.status],
    actor: plainUser(view, run.actor),
    trigger_actor: plainUser(view, run.triggeredBy),
    repository: repoJson(view, run.repo, 'none'),
    ...conclusion(run.status),
    pull_requests: withPulls ? pullsOf(view, run) : [],
    created_at: stamp(view, run.created),
    updated_at: stamp(view, run.updated),
    started_at: stamp(view, run.started),
    completed_at: stamp(view, run.completed),
  };
}

const stepsJson = (view: View, job: Job): Json[] =>
  job.runner === undefined
    ? []
    : job.plan.steps.map((step, position) => ({
        name: `Run ${step}`,
        number: position,
        status: isDone(job.status) ? 'completed' : 'queued',
        ...conclusion(job.status),
        started_at: stamp(view, isDone(job.status) ? job.started : 0),
        completed_at: stamp(view, job.completed),
      }));

export function jobJson(view: View, job: Job): Json {
  const { run } = job;
  const api = `${apiUrl(view)}/repos/${fullName(run.repo)}/actions`;
  const web = `${view.state.site.url}/${fullName(run.repo)}/actions/runs/${run.id}`;
  return {
    id: job.id,
    url: `${api}/jobs/${job.id}`,
    html_url: `${web}/jobs/${job.id}`,
    run_id: run.id,
    run_url: `${api}/runs/${run.id}`,
    name: job.plan.name,
    labels: job.plan.labels,
    // an older server has one row per job, which counts its own attempts
    run_attempt: view.state.site.flavor === 'gitea-1.26' ? (job.keptFrom ?? job.attempt) : job.attempt,
    head_sha: run.sha,
    head_branch: run.branch,
    status: reported[job.status],
    ...conclusion(job.status),
    ...(job.runner === undefined ? {} : { runner_id: job.runner.id, runner_name: job.runner.name }),
    steps: stepsJson(view, job),
    created_at: stamp(view, job.created),
    started_at: stamp(view, job.started),
    completed_at: stamp(view, job.completed),
  };
}

export function runnerJson(view: View, runner: Runner): Json {
  const busy = [...view.state.runs.values()].some((run) =>
    currentJobs(run).some((job) => job.runner === runner && !isDone(job.status)),
  );
  return {
    id: runner.id,
    name: runner.name,
    status: runner.online ? 'online' : 'offline',
    busy,
    disabled: runner.disabled,
    ephemeral: runner.ephemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  };
}
