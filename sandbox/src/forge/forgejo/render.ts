import { createHash } from 'node:crypto';
import { plainUser } from '../render/people.js';
import { repoJson } from '../render/repos.js';
import { type Json, stamp, type View } from '../render/view.js';
import { currentJobs, isDone, type Job, type Run, type Runner } from '../state/actions.js';
import { fullName } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { payloadOf } from './payload.js';

/** Forgejo ends a canceled job at once. */
const statusOf = ({ status }: Run | Job): string => (status === 'cancelling' ? 'cancelled' : status);

const webOf = (view: View, run: Run): string =>
  `${view.state.site.url}/${fullName(run.repo)}/actions/runs/${run.number}`;

/** Short, with the pull request's number if one started it. */
export function prettyRef(run: Run): string {
  if (!run.event.startsWith('pull_request')) return run.branch;
  const issue = [...run.repo.issues.values()].find((each) => each.pull?.head === run.branch);
  return issue === undefined ? run.branch : `#${issue.index}`;
}

/** The number on the page is `index_in_repo`; `id` is what the API takes. */
export function runJson(view: View, run: Run): Json {
  const until = run.completed > 0 ? run.completed : view.state.now();
  const seconds = run.started > 0 ? until - run.started : 0;
  return {
    id: run.id,
    title: run.title,
    repository: repoJson(view, run.repo),
    workflow_id: run.workflow,
    index_in_repo: run.number,
    trigger_user: plainUser(view, run.triggeredBy),
    ScheduleID: 0,
    prettyref: prettyRef(run),
    is_ref_deleted: false,
    commit_sha: run.sha,
    is_fork_pull_request: false,
    need_approval: false,
    approved_by: 0,
    event: run.event,
    event_payload: payloadOf(view, run),
    trigger_event: run.event,
    status: statusOf(run),
    started: stamp(view, run.started),
    stopped: stamp(view, run.completed),
    created: stamp(view, run.created),
    updated: stamp(view, run.updated),
    ...(seconds > 0 ? { duration: seconds * 1_000_000_000 } : {}),
    html_url: webOf(view, run),
  };
}

function handle(job: Job): string {
  const hex = createHash('sha1').update(`job ${job.id}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const jobJson = (view: View, job: Job): Json => ({
  id: job.id,
  ...(isForgejo(view.state.site, 16) ? { run_id: job.run.id } : {}),
  ...(isForgejo(view.state.site, 15) ? { attempt: job.attempt, handle: handle(job) } : {}),
  repo_id: job.run.repo.id,
  owner_id: job.run.repo.owner.id,
  name: job.plan.name,
  needs: job.plan.needs.length === 0 ? null : job.plan.needs,
  runs_on: job.plan.labels,
  task_id: job.runner === undefined ? 0 : job.id,
  status: statusOf(job),
});

/** A job that a runner took; it does not include the run's id. */
export const taskJson = (view: View, job: Job): Json => ({
  id: job.id,
  name: job.plan.name,
  head_branch: prettyRef(job.run),
  head_sha: job.run.sha,
  run_number: job.run.number,
  event: job.run.event,
  display_title: job.run.title,
  status: statusOf(job),
  workflow_id: job.run.workflow,
  url: webOf(view, job.run),
  created_at: stamp(view, job.started),
  updated_at: stamp(view, job.completed > 0 ? job.completed : job.started),
  run_started_at: stamp(view, job.started),
});

export function runnerJson(view: View, runner: Runner): Json {
  const busy = [...view.state.runs.values()].some((run) =>
    currentJobs(run).some((job) => job.runner === runner && !isDone(job.status)),
  );
  return {
    id: runner.id,
    uuid: runner.uuid,
    owner_id: 0,
    repo_id: 0,
    name: runner.name,
    status: !runner.online ? 'offline' : busy ? 'active' : 'idle',
    version: 'v6.3.1',
    labels: runner.labels,
    description: '',
    ephemeral: runner.ephemeral,
  };
}
