import { announceEnd } from '../forgejo/run-end.js';
import { jobJson, runJson } from '../render/runs.js';
import {
  type Conclusion,
  currentJobs,
  isDone,
  type Job,
  type Run,
  type Runner,
  type Status,
} from '../state/actions.js';
import type { User } from '../state/people.js';
import type { Repo, WorkflowJobPlan } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { changed, type State } from '../state/state.js';
import { emit } from './hooks.js';
import { noteStatuses } from './statuses.js';

export interface NewRun {
  readonly workflow?: string;
  readonly title?: string;
  readonly branch?: string;
  /** In full; defaults to the branch's. */
  readonly ref?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** From a fork, by someone unknown here. */
  readonly needsApproval?: boolean;
  readonly event?: string;
  readonly sha?: string;
  readonly jobs?: readonly WorkflowJobPlan[];
}

const usual: readonly WorkflowJobPlan[] = [
  { name: 'build', labels: ['ubuntu-latest'], needs: [], steps: ['npm ci', 'npm test'] },
];

/** A run's status follows from its jobs. */
export function updateRun(state: State, run: Run): void {
  const jobs = currentJobs(run);
  if (run.approval !== 'needed') unblock(jobs);
  const has = (status: Status): boolean => jobs.some((job) => job.status === status);
  const before = run.status;
  if (jobs.every((job) => isDone(job.status))) {
    run.status = has('failure') ? 'failure' : has('cancelled') ? 'cancelled' : has('success') ? 'success' : 'skipped';
    run.completed = state.now();
  } else if (has('cancelling')) run.status = 'cancelling';
  else if (has('running')) run.status = 'running';
  else if (has('waiting')) run.status = jobs.some((job) => job.status === 'success') ? 'running' : 'waiting';
  else run.status = 'blocked';
  run.updated = state.now();
  noteStatuses(state, run);
  if (run.status !== before) announce(state, run, before);
  changed(state, 'run', run.repo);
}

/** A job whose needs are met may start; one whose needs failed is skipped. */
function unblock(jobs: readonly Job[]): void {
  for (const job of jobs) {
    if (job.status !== 'blocked') continue;
    const needs = jobs.filter((other) => job.plan.needs.includes(other.plan.name));
    if (needs.some((need) => need.status === 'failure' || need.status === 'cancelled' || need.status === 'skipped')) {
      job.status = 'skipped';
    } else if (needs.every((need) => need.status === 'success')) job.status = 'waiting';
  }
}

export function announce(state: State, run: Run, before: Status = run.status): void {
  if (isForgejo(state.site)) {
    announceEnd(state, run, before);
    return;
  }
  const action = isDone(run.status) ? 'completed' : run.status === 'running' ? 'in_progress' : 'requested';
  emit(state, {
    event: 'workflow_run',
    type: 'workflow_run',
    repo: run.repo,
    sender: run.triggeredBy,
    payload: (view) => ({ action, workflow_run: runJson(view, run) }),
  });
}

function announceJob(state: State, job: Job, action: string): void {
  if (isForgejo(state.site)) return;
  emit(state, {
    event: 'workflow_job',
    type: 'workflow_job',
    repo: job.run.repo,
    sender: job.run.triggeredBy,
    payload: (view) => ({ action, workflow_job: jobJson(view, job) }),
  });
}

export function addJobs(state: State, run: Run, plans: readonly WorkflowJobPlan[]): void {
  for (const plan of plans) {
    const job: Job = {
      id: state.nextId('job'),
      run,
      attempt: run.attempt,
      plan,
      status: plan.needs.length > 0 || run.approval === 'needed' ? 'blocked' : 'waiting',
      runner: undefined,
      created: state.now(),
      started: 0,
      completed: 0,
      log: undefined,
    };
    run.jobs.push(job);
    state.jobs.set(job.id, job);
  }
}

export function queueRun(state: State, actor: User, repo: Repo, what: NewRun = {}): Run {
  const now = state.now();
  const branch = what.branch ?? repo.defaultBranch;
  repo.runs += 1;
  const run: Run = {
    id: state.nextId('run'),
    repo,
    number: repo.runs,
    title: what.title ?? 'Build and test',
    workflow: what.workflow ?? 'ci.yml',
    event: what.event ?? 'push',
    branch,
    ref: what.ref ?? `refs/heads/${branch}`,
    inputs: what.inputs ?? {},
    sha: what.sha ?? repo.branches.get(branch) ?? '',
    actor,
    triggeredBy: actor,
    attempt: 1,
    status: 'waiting',
    approval: what.needsApproval === true ? 'needed' : 'none',
    stuck: false,
    created: now,
    updated: now,
    started: 0,
    completed: 0,
    jobs: [],
  };
  state.runs.set(run.id, run);
  addJobs(state, run, what.jobs ?? usual);
  announce(state, run);
  updateRun(state, run);
  return run;
}

/** Waiting for a runner, and this one could take it. */
export const suits = (runner: Runner, { status, plan }: Job): boolean =>
  status === 'waiting' &&
  runner.online &&
  !runner.disabled &&
  plan.labels.every((label) => runner.labels.includes(label));

/** The first waiting job that matches the runner's labels, of this run or of any. */
export function takeJob(state: State, runner: Runner, run?: Run): Job | undefined {
  const runs = run === undefined ? [...state.runs.values()] : [run];
  const job = runs.flatMap(currentJobs).find((each) => suits(runner, each));
  if (job === undefined) return undefined;
  job.status = 'running';
  job.runner = runner;
  job.started = state.now();
  if (job.run.started === 0) job.run.started = job.started;
  announceJob(state, job, 'in_progress');
  updateRun(state, job.run);
  return job;
}

/** A runner's report about its job; false if it is no longer accepted. */
export function report(state: State, job: Job, conclusion: Conclusion): boolean {
  if (isDone(job.status)) return false;
  job.status = job.status === 'cancelling' ? 'cancelled' : conclusion;
  job.completed = state.now();
  if (job.started === 0 && conclusion !== 'skipped') job.started = job.completed;
  if (job.run.started === 0) job.run.started = job.started;
  announceJob(state, job, 'completed');
  updateRun(state, job.run);
  return true;
}

export function setJobs(state: State, run: Run, jobs: readonly Job[], status: Status): void {
  for (const job of jobs) {
    job.status = status;
    if (isDone(status)) job.completed = state.now();
  }
  updateRun(state, run);
}
