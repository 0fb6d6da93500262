import { addRunner, registrationToken, removeRunner, setRunner } from '../acts/runners.js';
import { created, invalid, notFound, nothing, ok, refuse } from '../http/answer.js';
import type { Body } from '../http/body.js';
import type { Handlers } from '../http/call.js';
import { list } from '../http/paging.js';
import type { Query } from '../http/query.js';
import { emailsJson } from '../render/people.js';
import { cronJson, hookJson } from '../render/records.js';
import { jobJson, runJson, runnerJson } from '../render/runs.js';
import type { Runner } from '../state/actions.js';
import type { CronTask } from '../state/records.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { readHook } from './hook-body.js';
import { filterRuns, statusFilter } from './run-filter.js';

export function runnerAt(state: State, id: number): Runner {
  const runner = state.runners.get(id);
  if (runner === undefined) throw notFound(`runner with id ${id}: resource does not exist`);
  return runner;
}

/** Older servers have no order; newer ones only use it with a sort. */
export function descending(state: State, query: Query): boolean {
  const sort = query.text('sort');
  if (sort === undefined || state.site.flavor === 'gitea-1.26') return false;
  if (sort !== 'id') throw invalid(`Invalid sort mode: "${sort}"`);
  const order = query.text('order') ?? 'asc';
  if (order !== 'asc' && order !== 'desc') throw invalid(`Invalid sort order: "${order}"`);
  return order === 'desc';
}

/** Known before it first connects: it comes later with its token. */
export function registerRunner(state: State, body: Body) {
  const name = body.requiredText('name');
  const ephemeral = body.flag('ephemeral') ?? false;
  const { id, uuid, token } = addRunner(state, { name, labels: [], online: false, ephemeral, external: true });
  return { id, uuid, token };
}

export const admin = {
  listJobs: (call) => {
    const { state, query, view } = call;
    const statuses = statusFilter(query);
    const sign = descending(state, query) ? -1 : 1;
    const jobs = [...state.jobs.values()]
      .filter((job) => statuses === undefined || statuses.has(job.status))
      .sort((a, b) => sign * (a.id - b.id));
    return list(call, jobs, (job) => jobJson(view, job), {
      wrap: (items, total) => ({ jobs: items, total_count: total }),
    });
  },

  listRunners: (call) => {
    const disabled = call.query.flag('disabled');
    const runners = [...call.state.runners.values()].filter(
      (runner) => disabled === undefined || runner.disabled === disabled,
    );
    return list(call, runners, (runner) => runnerJson(call.view, runner), {
      link: false,
      total: false,
      wrap: (items, total) => ({ runners: items, total_count: total }),
    });
  },

  createRunner: ({ state, body }) => created(registerRunner(state, body())),

  createRegistrationToken: ({ state }) => ok({ token: registrationToken(state) }),

  getRunner: ({ state, params, view }) => ok(runnerJson(view, runnerAt(state, params.runner_id))),

  deleteRunner: ({ state, params }) => {
    removeRunner(state, runnerAt(state, params.runner_id));
    return nothing;
  },

  editRunner: ({ state, params, body, view }) => {
    const disabled = body().requiredFlag('disabled');
    const runner = runnerAt(state, params.runner_id);
    setRunner(state, runner, { disabled });
    return ok(runnerJson(view, runner));
  },

  listRuns: (call) => {
    const runs = filterRuns(call.state, call.query, call.state.runs.values());
    const withPulls = call.query.flag('exclude_pull_requests') !== true;
    return list(call, runs, (run) => runJson(call.view, run, withPulls), {
      wrap: (items, total) => ({ workflow_runs: items, total_count: total }),
    });
  },

  listCron: (call) => {
    const { cron, site } = call.state;
    const draw = (task: CronTask) => cronJson(call.view, task);
    // Forgejo returns the whole list, whatever page is requested.
    if (isForgejo(site)) return ok(cron.map(draw), { 'x-total-count': String(cron.length) });
    return list(call, cron, draw, { link: false });
  },

  runCron: ({ state, params }) => {
    const task = state.cron.find((each) => each.name === params.task);
    if (task === undefined) throw notFound();
    task.prev = state.now();
    task.executions += 1;
    return nothing;
  },

  listEmails: (call) => list(call, emailsJson(call.state.users.values()), (email) => email),

  searchEmails: (call) => {
    const q = (call.query.text('q') ?? '').toLowerCase();
    const found = emailsJson(call.state.users.values()).filter(
      (each) => String(each['email']).toLowerCase().includes(q) || String(each['username']).toLowerCase().includes(q),
    );
    return list(call, found, (email) => email);
  },

  listHooks: (call) => {
    const { site } = call.state;
    const type = (isForgejo(site) ? undefined : call.query.text('type')) ?? 'system';
    if (type !== 'system' && type !== 'default' && type !== 'all') throw refuse(422, `unknown hook type ${type}`);
    const hooks = [...call.state.hooks.values()].filter(
      (hook) => typeof hook.scope === 'string' && (type === 'all' || hook.scope === type),
    );
    return list(call, hooks, (hook) => hookJson(call.view, hook), {
      link: !isForgejo(site),
      total: site.flavor !== 'forgejo-11',
    });
  },

  createHook: ({ state, body, view }) => {
    const hook = readHook(state, body());
    state.hooks.set(hook.id, hook);
    return created(hookJson(view, hook));
  },
} satisfies Handlers['admin'];
