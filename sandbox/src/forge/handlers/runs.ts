import { cancel, forceCancel } from '../acts/cancel.js';
import { approve, rerun } from '../acts/rerun.js';
import { created, notFound, ok, refuse } from '../http/answer.js';
import type { Call, Handlers } from '../http/call.js';
import { mustWrite, readable, repoOf } from '../http/guard.js';
import { list } from '../http/paging.js';
import { jobJson, runJson } from '../render/runs.js';
import { currentJobs, isDone, type Job, type Run } from '../state/actions.js';
import type { Repo } from '../state/repo.js';
import { descending } from './admin.js';
import { readLog } from './logs.js';
import { filterRuns, statusFilter } from './run-filter.js';

type InRepo = Pick<Call, 'state' | 'caller' | 'path' | 'query'> & {
  readonly params: { readonly owner: string; readonly repo: string };
};

/** By id, and only in its own repository. */
export function runAt(call: Pick<Call, 'state'>, repo: Repo, id: number): Run {
  const run = call.state.runs.get(id);
  if (run?.repo !== repo) throw notFound(`run with id ${id}: resource does not exist`);
  return run;
}

function stoppable(call: InRepo & { readonly params: { readonly run: number } }): Run {
  const repo = repoOf(call);
  mustWrite(call, repo, 'actions');
  const run = runAt(call, repo, call.params.run);
  if (isDone(run.status)) throw refuse(409, 'run is already completed');
  return run;
}

/** Reruns these jobs of a finished run; none at all is fine. */
function again(call: InRepo & { readonly params: { readonly run: number } }, which: (run: Run) => readonly Job[]): Run {
  const repo = repoOf(call);
  const user = mustWrite(call, repo, 'actions');
  const run = runAt(call, repo, call.params.run);
  const jobs = which(run);
  if (jobs.length === 0) return run;
  if (!isDone(run.status)) throw refuse(400, 'this workflow run is not done');
  if (repo.disabledWorkflows.has(run.workflow)) throw refuse(400, `workflow ${run.workflow} is disabled`);
  rerun(call.state, user, run, jobs);
  return run;
}

export const runs = {
  list: (call) => {
    const repo = readable(call);
    const all = [...call.state.runs.values()].filter((run) => run.repo === repo);
    const withPulls = call.query.flag('exclude_pull_requests') !== true;
    return list(call, filterRuns(call.state, call.query, all), (run) => runJson(call.view, run, withPulls), {
      wrap: (items, total) => ({ workflow_runs: items, total_count: total }),
    });
  },

  forceCancel: (call) => {
    const run = stoppable(call);
    forceCancel(call.state, run);
    return ok(runJson(call.view, run));
  },

  get: (call) => ok(runJson(call.view, runAt(call, readable(call), call.params.run))),

  listJobs: (call) => {
    const run = runAt(call, readable(call), call.params.run);
    return list(call, currentJobs(run), (job) => jobJson(call.view, job), {
      wrap: (items, total) => ({ jobs: items, total_count: total }),
    });
  },

  listAttemptJobs: (call) => {
    const run = runAt(call, readable(call), call.params.run);
    const { attempt } = call.params;
    if (attempt < 1 || attempt > run.attempt) throw notFound();
    const jobs = run.jobs.filter((job) => job.attempt === attempt);
    return list(call, jobs, (job) => jobJson(call.view, job), {
      wrap: (items, total) => ({ jobs: items, total_count: total }),
    });
  },

  listRepoJobs: (call) => {
    const repo = readable(call);
    const wanted = statusFilter(call.query);
    const sign = descending(call.state, call.query) ? -1 : 1;
    const jobs = [...call.state.jobs.values()]
      .filter((job) => job.run.repo === repo && (wanted === undefined || wanted.has(job.status)))
      .sort((a, b) => sign * (a.id - b.id));
    return list(call, jobs, (job) => jobJson(call.view, job), {
      wrap: (items, total) => ({ jobs: items, total_count: total }),
    });
  },

  cancel: (call) => {
    const run = stoppable(call);
    cancel(call.state, run);
    return ok(runJson(call.view, run));
  },

  jobLog: readLog,

  approve: (call) => {
    const repo = repoOf(call);
    mustWrite(call, repo, 'actions');
    const run = runAt(call, repo, call.params.run);
    if (run.approval === 'none') throw refuse(409, 'run does not need approval');
    if (run.approval === 'needed') approve(call.state, run);
    return ok(runJson(call.view, run));
  },

  rerun: (call) => {
    const run = again(call, currentJobs);
    return created(runJson(call.view, run));
  },

  /** 201 without a body, even if nothing failed and nothing is rerun. */
  rerunFailed: (call) => {
    again(call, (run) => currentJobs(run).filter(({ status }) => status === 'failure' || status === 'cancelled'));
    return { status: 201 };
  },

  rerunJob: (call) => {
    const run = again(call, (each) => {
      const job = currentJobs(each).find(({ id }) => id === call.params.job_id);
      if (job === undefined) throw notFound(`workflow job with id ${call.params.job_id}: resource does not exist`);
      return [job];
    });
    const job = currentJobs(run)[0];
    return created(job === undefined ? {} : jobJson(call.view, job));
  },
} satisfies Handlers['runs'];
