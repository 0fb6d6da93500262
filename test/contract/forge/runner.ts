import { request } from 'undici';
import { z } from 'zod';
import type { PlayedRunner } from './server.js';

const Registered = z.object({ runner: z.object({ id: z.string(), uuid: z.string(), token: z.string() }) });
const Fetched = z.object({ task: z.object({ id: z.string() }).nullish() });

/** Speaks the runner protocol (Connect, JSON) and does nothing else: the test decides a job's outcome. */
export async function playRunner(url: string, token: string, name: string, label: string): Promise<PlayedRunner> {
  const about = { version: 'v0.2.13', labels: [label], capabilities: ['cancelling'] };
  const { runner } = Registered.parse(await call(url, 'Register', { name, token, ...about }, {}));
  const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token };
  await call(url, 'Declare', about, headers);
  let task = '';
  let written = 0;
  return {
    id: Number(runner.id),
    name,
    async take() {
      const fetched = Fetched.parse(await call(url, 'FetchTask', { tasksVersion: '0' }, headers));
      if (!fetched.task) throw new Error(`no job for a runner of label ${label}`);
      task = fetched.task.id;
      const state = { id: task, result: 'RESULT_UNSPECIFIED', startedAt: new Date().toISOString() };
      await call(url, 'UpdateTask', { state }, headers);
    },
    async write(...lines) {
      const rows = lines.map((content) => ({ time: new Date().toISOString(), content }));
      await call(url, 'UpdateLog', { taskId: task, index: String(written), rows, noMore: true }, headers);
      written += rows.length;
    },
    async finish(result) {
      const now = new Date().toISOString();
      const state = { id: task, result: `RESULT_${result.toUpperCase()}`, startedAt: now, stoppedAt: now };
      await call(url, 'UpdateTask', { state }, headers);
    },
  };
}

async function call(url: string, method: string, body: object, headers: Record<string, string>): Promise<unknown> {
  const answer = await request(`${url}/api/actions/runner.v1.RunnerService/${method}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`runner ${method}: ${answer.statusCode} ${text}`);
  return JSON.parse(text);
}
