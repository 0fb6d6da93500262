import type { IncomingHttpHeaders } from 'node:http';
import { addRunner, registrationToken } from '../acts/runners.js';
import { report, takeJob } from '../acts/runs.js';
import { type Conclusion, isDone, type Runner } from '../state/actions.js';
import type { State } from '../state/state.js';
import type { Answer } from './answer.js';
import { Body } from './body.js';

const prefix = '/api/actions/runner.v1.RunnerService/';

const results: Readonly<Record<string, Conclusion>> = {
  RESULT_SUCCESS: 'success',
  RESULT_FAILURE: 'failure',
  RESULT_CANCELLED: 'cancelled',
  RESULT_SKIPPED: 'skipped',
};

const unauthenticated: Answer = { status: 401, body: { code: 'unauthenticated', message: 'unregistered runner' } };

const runnerJson = (runner: Runner, version: string) => ({
  id: String(runner.id),
  uuid: runner.uuid,
  name: runner.name,
  version,
  labels: runner.labels,
});

function register(state: State, body: Body): Answer {
  if (body.text('token') !== registrationToken(state)) {
    return { status: 404, body: { code: 'not_found', message: 'runner registration token not found' } };
  }
  const runner = addRunner(state, {
    name: body.text('name') ?? '',
    labels: body.texts('labels') ?? [],
    confirms: body.texts('capabilities')?.includes('cancelling') === true,
    external: true,
  });
  const { token } = runner;
  return { status: 200, body: { runner: { ...runnerJson(runner, body.text('version') ?? ''), token } } };
}

function declare(runner: Runner, body: Body): Answer {
  runner.labels.splice(0, runner.labels.length, ...(body.texts('labels') ?? []));
  runner.confirms = body.texts('capabilities')?.includes('cancelling') === true;
  return { status: 200, body: { runner: runnerJson(runner, body.text('version') ?? '') } };
}

function fetchTask(state: State, runner: Runner): Answer {
  const job = takeJob(state, runner);
  const tasksVersion = String(state.nextId('tasks version'));
  return { status: 200, body: job === undefined ? { tasksVersion } : { task: { id: String(job.id) }, tasksVersion } };
}

/** Appends rows where the last ones ended. */
function updateLog(state: State, raw: string): Answer {
  const request = new Map<string, unknown>(Object.entries(Object(JSON.parse(raw))));
  const job = state.jobs.get(Number(request.get('taskId')));
  if (job === undefined) return { status: 404, body: { code: 'not_found', message: 'task not found' } };
  const rows = request.get('rows');
  const lines = (Array.isArray(rows) ? rows : []).map((row: unknown) => {
    const { time = '', content = '' }: { time?: unknown; content?: unknown } = Object(row);
    return `${String(time)} ${String(content)}\n`;
  });
  const before = job.log?.text ?? '';
  job.log = { filler: 0, text: before + lines.join('') };
  return { status: 200, body: { ackIndex: String(job.log.text.split('\n').length - 1) } };
}

/** A report after the end is answered with the end and changes nothing. */
function updateTask(state: State, raw: string): Answer {
  const request: unknown = JSON.parse(raw);
  const part = typeof request === 'object' && request !== null && 'state' in request ? request.state : undefined;
  const task = typeof part === 'object' && part !== null ? new Map<string, unknown>(Object.entries(part)) : new Map();
  const job = state.jobs.get(Number(task.get('id')));
  if (job === undefined) return { status: 404, body: { code: 'not_found', message: 'task not found' } };
  const conclusion = results[String(task.get('result'))];
  if (conclusion !== undefined) report(state, job, conclusion);
  const finished = isDone(job.status) || job.status === 'cancelling';
  const word = job.status === 'cancelling' ? 'cancelled' : job.status;
  return {
    status: 200,
    body: { state: { id: String(job.id), ...(finished ? { result: `RESULT_${word.toUpperCase()}` } : {}) } },
  };
}

/** The runner protocol, enough of it to play a runner. Undefined: some other address. */
export function runnerRpc(
  state: State,
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  raw: string,
): Answer | undefined {
  if (method !== 'POST' || !path.startsWith(prefix)) return undefined;
  const body = Body.read('application/json', raw, method);
  const verb = path.slice(prefix.length);
  if (verb === 'Register') return register(state, body);
  const runner = [...state.runners.values()].find((each) => each.uuid === headers['x-runner-uuid']);
  if (runner === undefined || runner.token !== headers['x-runner-token']) return unauthenticated;
  runner.online = true;
  if (verb === 'Declare') return declare(runner, body);
  if (verb === 'FetchTask') return fetchTask(state, runner);
  if (verb === 'UpdateLog') return updateLog(state, raw);
  return verb === 'UpdateTask' ? updateTask(state, raw) : undefined;
}
