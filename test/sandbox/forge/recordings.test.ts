import { afterEach, describe, expect, it } from 'vitest';
import type { Flavour, SandboxForge } from '../../../src/sandbox/forge/index.js';
import { bareForge, type Exchange, password, recording, type Sent, send, shapeDifference } from './replay.js';

let forge: SandboxForge;
afterEach(() => forge.close());

const gpuWorkflow = 'on: push\njobs:\n  train:\n    runs-on: gpu\n    steps:\n      - run: sleep 1\n';

/** What the recorder did between exchanges without writing it down. */
async function prepare(exchange: Exchange): Promise<void> {
  const alice = `alice:${password}`;
  if (exchange.note === 'package') {
    await send(`${forge.url}/api/packages/acme/generic/tool/1.0/file.bin`, 'PUT', { as: alice, body: {} });
  }
  if (exchange.note === 'run queued') {
    const name = exchange.path.split('/')[3] ?? '';
    await send(`${forge.apiUrl}/orgs/acme/repos`, 'POST', { as: alice, body: { name, auto_init: true } });
    const content = Buffer.from(gpuWorkflow).toString('base64');
    const path = `${forge.apiUrl}/repos/acme/${name}/contents/.gitea/workflows/gpu.yml`;
    await send(path, 'POST', { as: alice, body: { content, message: 'gpu' } });
  }
}

/** Numbers the two servers gave to the same thing. */
class Numbers {
  readonly #pairs = new Map<string, string>();
  runner: Readonly<Record<string, string>> = {};
  registration = '';

  learn(exchange: Exchange, sent: Sent): void {
    const real = JSON.stringify(exchange.answer);
    const ours = JSON.stringify(sent.answer);
    for (const pattern of [
      /threads\/(\d+)"/,
      /actions\/runs\/(\d+)"/,
      /"runner":\{"id":"(\d+)"/,
      /"task":\{"id":"(\d+)"/,
    ]) {
      const [before, after] = [pattern.exec(real)?.[1], pattern.exec(ours)?.[1]];
      if (before !== undefined && after !== undefined) this.#pairs.set(`${pattern.source} ${before}`, after);
    }
    const token = /"token":"(\w+)"\}$/.exec(ours)?.[1];
    if (exchange.note === 'regToken' && token !== undefined) this.registration = token;
    const [, uuid = '', secret = ''] = /"uuid":"([\w-]+)".*"token":"(\w+)"/.exec(ours) ?? [];
    if (exchange.path.endsWith('/Register')) this.runner = { 'x-runner-uuid': uuid, 'x-runner-token': secret };
  }

  path(path: string): string {
    const swap = (text: string, prefix: string, pattern: RegExp) =>
      text.replace(new RegExp(`(${prefix}/)(\\d+)`), (whole, head: string, id: string) => {
        const ours = this.#pairs.get(`${pattern.source} ${id}`);
        return ours === undefined ? whole : `${head}${ours}`;
      });
    const threads = swap(path, 'threads', /threads\/(\d+)"/);
    const runs = swap(threads, 'actions/runs', /actions\/runs\/(\d+)"/);
    return swap(runs, 'actions/runners', /"runner":\{"id":"(\d+)"/);
  }

  body(exchange: Exchange): unknown {
    const { body, path } = exchange;
    if (path.endsWith('/Register')) return { ...Object(body), token: this.registration };
    if (!path.endsWith('/UpdateTask')) return body ?? undefined;
    const pattern = /"task":\{"id":"(\d+)"/;
    const text = JSON.stringify(body).replace(/"id":"(\d+)"/, (whole, id: string) => {
      const ours = this.#pairs.get(`${pattern.source} ${id}`);
      return ours === undefined ? whole : `"id":"${ours}"`;
    });
    return JSON.parse(text);
  }
}

function ask(exchange: Exchange, numbers: Numbers): Promise<Sent> {
  const path = numbers.path(exchange.path);
  const address = path.startsWith('/api/') ? `${forge.url}${path}` : `${forge.apiUrl}${path}`;
  const secret = exchange.note === 'userKey bad credential' ? 'wrong' : password;
  const person = exchange.as_user === null || exchange.as_user === 'runner' ? undefined : exchange.as_user;
  const method = exchange.method;
  if (method !== 'GET' && method !== 'POST' && method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') {
    throw new Error(`unknown method ${method}`);
  }
  const body = numbers.body(exchange);
  return send(address, method, {
    headers: path.startsWith('/api/') ? numbers.runner : {},
    ...(person === undefined ? {} : { as: `${person}:${secret}` }),
    ...(body === undefined ? {} : { body }),
  });
}

function differences(exchange: Exchange, sent: Sent): string[] {
  const found: string[] = [];
  if (sent.status !== exchange.status) found.push(`status ${exchange.status} became ${sent.status}`);
  for (const name of ['content-type', 'x-total-count']) {
    const [real, ours] = [exchange.headers[name], sent.headers[name]];
    // Other repositories of the recorder had jobs too.
    const counted = name === 'x-total-count' && exchange.path.startsWith('/admin/actions/jobs?status=in_progress');
    if (real !== undefined && real !== ours && !counted) found.push(`${name} ${real} became ${String(ours)}`);
  }
  const hasLink = exchange.headers['link'] !== undefined;
  if (hasLink !== (sent.headers['link'] !== undefined)) found.push(hasLink ? 'no link' : 'a link');
  // The recorder left out most of a task.
  const shape = exchange.path.endsWith('/FetchTask') ? [] : shapeDifference(exchange.answer, sent.answer);
  return [...found, ...shape].map((line) => `${exchange.note || exchange.path} (${exchange.method}): ${line}`);
}

async function replay(name: string, flavour: Flavour): Promise<string[]> {
  forge = await bareForge(flavour);
  const numbers = new Numbers();
  const found: string[] = [];
  for (const exchange of recording(name)) {
    await prepare(exchange);
    const sent = await ask(exchange, numbers);
    numbers.learn(exchange, sent);
    found.push(...differences(exchange, sent));
  }
  return found;
}

describe('against the recordings of real servers', () => {
  it('answers every exchange of Gitea 1.28 with the same status and shape', async () => {
    expect(await replay('gitea-1.28-dev', 'gitea-1.28')).toEqual([]);
  });

  it('answers every exchange of Gitea 1.26 with the same status and shape', async () => {
    expect(await replay('gitea-1.26.0', 'gitea-1.26')).toEqual([]);
  });
});
