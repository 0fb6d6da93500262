import { forceCancel } from '../acts/cancel.js';
import { readLog } from '../handlers/logs.js';
import { runAt } from '../handlers/runs.js';
import { dispatched } from '../handlers/workflows.js';
import { created, nothing, ok, refuse } from '../http/answer.js';
import { mustWrite, readable, repoOf } from '../http/guard.js';
import { windowOf } from '../http/paging.js';
import type { Query } from '../http/query.js';
import { currentJobs, isDone, type Job, type Run } from '../state/actions.js';
import type { State } from '../state/state.js';
import { own } from './own.js';
import { jobJson, runJson, taskJson } from './render.js';

const words = ['unknown', 'waiting', 'running', 'success', 'failure', 'cancelled', 'skipped', 'blocked'];

/** Branch, actor and Gitea's other filters are ignored. */
function wanted(query: Query): (run: Run) => boolean {
  const statuses = query.all('status');
  const unknown = statuses.find((word) => !words.includes(word));
  if (unknown !== undefined) throw refuse(400, `unknown status: ${unknown}`);
  const events = query.all('event');
  const number = query.number('run_number');
  const ref = query.text('ref');
  const workflow = query.text('workflow_id');
  const sha = query.text('head_sha');
  return (run) =>
    (statuses.length === 0 || statuses.includes(run.status)) &&
    (events.length === 0 || events.includes(run.event)) &&
    (number === undefined || run.number === number) &&
    (ref === undefined || ref === `refs/heads/${run.branch}`) &&
    (workflow === undefined || run.workflow === workflow) &&
    (sha === undefined || run.sha === sha);
}

const newestFirst = (a: { readonly id: number }, b: { readonly id: number }): number => b.id - a.id;

/** Neither links nor a count in the headers: only `total_count` says how many there are. */
function counted<T extends { readonly id: number }>(
  call: Parameters<typeof windowOf>[0],
  all: T[],
  draw: (item: T) => unknown,
) {
  const { page, size } = windowOf(call);
  const items = all
    .sort(newestFirst)
    .slice((page - 1) * size, page * size)
    .map(draw);
  return ok({ workflow_runs: items, total_count: all.length });
}

const waiting = (state: State, labels: readonly string[], holds: (job: Job) => boolean): Job[] =>
  [...state.runs.values()]
    .flatMap(currentJobs)
    .filter((job) => job.status === 'waiting' && job.plan.labels.every((label) => labels.includes(label)) && holds(job))
    .sort(newestFirst);

const runFilters = ['status', 'event', 'run_number', 'head_sha', 'ref', 'workflow_id', 'page', 'limit'];

export const runRoutes = [
  own(15, 'GET /repos/{owner}/{repo}/actions/runs', runFilters, (call) => {
    const repo = readable(call);
    const holds = wanted(call.query);
    const runs = [...call.state.runs.values()].filter((run) => run.repo === repo && holds(run));
    return counted(call, runs, (run) => runJson(call.view, run));
  }),

  own(15, 'GET /repos/{owner}/{repo}/actions/runs/{run}', [], (call) =>
    ok(runJson(call.view, runAt(call, readable(call), call.params.run))),
  ),

  own(16, 'GET /repos/{owner}/{repo}/actions/runs/{run}/jobs', [], (call) => {
    const run = runAt(call, readable(call), call.params.run);
    return ok(currentJobs(run).map((job) => jobJson(call.view, job)));
  }),

  own(16, 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', ['attempt'], readLog),

  /** Even for a finished run. */
  own(16, 'POST /repos/{owner}/{repo}/actions/runs/{run}/cancel', [], (call) => {
    const repo = repoOf(call);
    mustWrite(call, repo, 'actions');
    const run = runAt(call, repo, call.params.run);
    if (!isDone(run.status)) forceCancel(call.state, run);
    return nothing;
  }),

  own(11, 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', [], (call) => {
    const run = dispatched(call);
    if (call.body().flag('return_run_info') !== true) return nothing;
    return created({ id: run.id, run_number: run.number, jobs: currentJobs(run).map(({ plan }) => plan.name) });
  }),

  own(11, 'GET /repos/{owner}/{repo}/actions/tasks', ['page', 'limit'], (call) => {
    const repo = readable(call);
    const jobs = [...call.state.jobs.values()].filter((job) => job.run.repo === repo && job.runner !== undefined);
    return counted(call, jobs, (job) => taskJson(call.view, job));
  }),

  own(11, 'GET /repos/{owner}/{repo}/actions/runners/jobs', ['labels'], (call) => {
    const repo = readable(call);
    const jobs = waiting(call.state, call.query.names('labels'), (job) => job.run.repo === repo);
    return ok(jobs.map((job) => jobJson(call.view, job)));
  }),

  own(11, 'GET /admin/runners/jobs', ['labels'], ({ state, query, view }) =>
    ok(waiting(state, query.names('labels'), () => true).map((job) => jobJson(view, job))),
  ),

  own(15, 'GET /admin/actions/runners/jobs', ['labels'], ({ state, query, view }) =>
    ok(waiting(state, query.names('labels'), () => true).map((job) => jobJson(view, job))),
  ),
];
