import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SandboxForge } from '@bellows/sandbox/forge';
import { afterEach, describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/forge/operation.js';
import { operations } from '../../../src/forge/operations/index.js';
import { ask, forges, rows } from './ask.js';
import { recording, send } from './replay.js';

const start = forges();
const recordings = [
  ['forgejo-11', 'forgejo-11.0.1'],
  ['forgejo-15', 'forgejo-15.0.3'],
  ['forgejo-16', 'forgejo-16.0-dev'],
] as const;

const plain = (route: string): string => route.replace(/\{[^}]*\}/g, '{}');
const routesOf = (paths: Readonly<Record<string, object>>, methodsOf: (value: object) => string[]): Set<string> =>
  new Set(
    Object.entries(paths).flatMap(([path, value]) =>
      methodsOf(value).map((each) => plain(`${each.toUpperCase()} ${path}`)),
    ),
  );

describe('the API document of a Forgejo', () => {
  it.each(recordings)('lists of %s what the real one lists, and nothing else', async (flavor, name) => {
    const described = recording(name).find(({ note }) => note.startsWith('description'))?.answer;
    const real = routesOf((described as { paths: Record<string, string[]> }).paths, (methods) =>
      Object.values(methods),
    );
    const { answer } = await send(`${(await start({ flavor })).url}/swagger.v1.json`, 'GET');
    const ours = routesOf((answer as { paths: Record<string, object> }).paths, Object.keys);
    expect([...ours].filter((route) => !real.has(route))).toEqual([]);
    const table: Operation[] = Object.values(operations).flatMap((verbs) => Object.values(verbs));
    const wanted = table.map(({ route }) => plain(route));
    expect(wanted.filter((route) => real.has(route) && !ours.has(route))).toEqual([]);
  });
});

const on = { as: 'ada', repo: 'acme/vault' };

/** One of each kind, as the recorder did them. */
function aDay({ world }: SandboxForge): void {
  const { index } = world.openIssue({ ...on, title: 'First <bug>' });
  world.label({ ...on, index, labels: ['bug'] });
  world.comment({ ...on, index, body: 'hello @grace' });
  world.close({ ...on, index });
  world.reopen({ ...on, index });
  world.push({ ...on, branch: 'feat', commits: ['add a\n\nmore | words'] });
  const pull = { ...on, index: world.openPull({ ...on, title: 'WIP: draft | pull', head: 'feat' }).index };
  world.edit({ ...pull, title: 'Feature' });
  world.review({ ...pull, as: 'grace', verdict: 'reject', body: 'please | fix' });
  world.review({ ...pull, as: 'grace', verdict: 'approve', body: 'ok' });
  world.review({ ...pull, as: 'grace', verdict: 'comment', body: 'a remark' });
  world.push({ ...on, branch: 'feat', commits: ['add b'] });
  world.dismissReview({ ...pull, of: 'grace', reason: 'stale now' });
  world.comment({ ...pull, as: 'grace', body: 'on the pull' });
  world.close(pull);
  world.reopen(pull);
  world.merge(pull);
  world.deleteBranch({ ...on, branch: 'feat' });
  world.tag({ ...on, tag: 'v0.1' });
  world.deleteTag({ ...on, tag: 'v0.1' });
  world.release({ ...on, tag: 'v1.0', title: 'One | oh' });
}

/** A row without the names and numbers of one day. */
function form(row: Record<string, unknown>): string {
  const content = String(row['content'])
    .replace(/^\{.*\}$/, (json) => {
      const pushed: Record<string, unknown> = JSON.parse(json);
      return `{${Object.entries(pushed)
        .filter(([key]) => key !== 'Len')
        .map(([key, value]) => `${key}: ${value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value}`)
        .join()}}`;
    })
    .replace(/^\d+\|.*$/s, 'piped')
    .replace(/^\[.*\]$/s, (json) => `list of ${JSON.parse(json).length}`);
  const ref = String(row['ref_name']).replace(/[^/]+$/, 'name');
  return `${String(row['op_type'])} ${ref} ${content === '' || /^[{pl]/.test(content) ? content : 'text'}`;
}

describe('the rows of a Forgejo', () => {
  it.each(recordings.slice(0, 2))('are written by %s as the real one writes them', async (flavor, name) => {
    const real = recording(name).find(({ note }) => note === 'repoFeed');
    const forge = await start({ flavor });
    aDay(forge);
    const ours = rows(await ask(forge, 'ada', 'GET /repos/acme/vault/activities/feeds?limit=50')).map(form);
    const wanted = new Set(rows({ status: 200, headers: {}, answer: real?.answer }).map(form));
    expect([...wanted].filter((row) => !ours.includes(row))).toEqual([]);
  });
});

/** The parts of a payload that say what it is about. */
const subjects = ['action', 'run', 'prior_status', 'repository', 'sender', 'issue', 'comment', 'release', 'ref'];

/** Kinds this forge never sends. */
const neverSent = ['repository', 'package', 'fork', 'wiki'];

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly payload: Record<string, unknown>;
}

/** Receives hook deliveries. */
async function listener(): Promise<{ url: string; heard: Delivery[]; close: () => void }> {
  const heard: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    heard.push({ headers: request.headers, payload: JSON.parse(Buffer.concat(chunks).toString()) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/`, heard, close: () => server.close() };
}

describe('the hooks of a Forgejo', () => {
  let close = (): void => {};
  afterEach(() => close());

  it('are sent like the real one’s', async () => {
    const ears = await listener();
    close = ears.close;
    const forge = await start({ flavor: 'forgejo-15' });
    const real = recording('forgejo-15.0.3').filter((each) => each.as_user === 'forge');
    const made = await ask(forge, 'ada', 'POST /admin/hooks', {
      type: 'forgejo',
      config: { url: ears.url, content_type: 'json', is_system_webhook: 'true', secret: 's' },
      events: [
        'issues',
        'pull_request',
        'push',
        'create',
        'delete',
        'release',
        'status',
        'workflow_run',
        'action_run_failure',
        'action_run_recover',
        'action_run_success',
      ],
      active: true,
    });
    expect(made.answer).toMatchObject({ events: expect.not.arrayContaining(['status', 'workflow_run']) });
    aDay(forge);
    for (const conclusion of ['success', 'failure', 'success', 'cancelled'] as const) {
      const run = forge.world.startRun(on);
      forge.world.finishRun({ run: run.id, conclusion });
    }
    await forge.world.delivered();
    const shapeOf = (headers: IncomingHttpHeaders, payload: object) =>
      [
        `${headers['x-forgejo-event']} ${headers['x-forgejo-event-type']}`,
        ...subjects.filter((key) => key in payload),
        ...Object.keys(headers).filter((name) => /^x-.*(event|signature)/.test(name)),
      ]
        .sort()
        .join();
    const ours = new Set(ears.heard.map(({ headers, payload }) => shapeOf(headers, payload)));
    const wanted = real
      .filter(({ headers }) => !neverSent.includes(headers['x-forgejo-event-type'] ?? ''))
      .map(({ headers, answer }) => shapeOf(headers, Object(answer)));
    expect(wanted.length).toBeGreaterThan(15);
    expect(wanted.filter((each) => !ours.has(each))).toEqual([]);
  });
});
