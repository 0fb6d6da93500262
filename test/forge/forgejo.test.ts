import { afterEach, describe, expect, it } from 'vitest';
import { whereKnown } from '../../src/forge/forgejo.js';
import type { Api } from '../../src/forge/index.js';
import { closePlayed, forgeAt, issue, json, play, type Seen, text, token, user } from './support/server.js';

afterEach(closePlayed);

const at = { owner: 'acme', repo: 'gpu' };
const runsPath = '/repos/{owner}/{repo}/actions/runs';
const query = (...names: string[]) => ({ parameters: names.map((name) => ({ name, in: 'query' })) });

/** The relevant part of Forgejo 15's API document. */
const fifteen = {
  info: { title: 'Forgejo API', version: '15.0.3+gitea-1.22.0' },
  paths: {
    [runsPath]: { get: query('page', 'limit', 'event', 'status', 'run_number', 'head_sha', 'ref', 'workflow_id') },
    [`${runsPath}/{run_id}`]: { get: {} },
    [`${runsPath}/{run_id}/jobs`]: { get: {} },
    [`${runsPath}/{run_id}/cancel`]: { post: {} },
    '/repos/issues/search': { get: query('state', 'q', 'type', 'created', 'page', 'limit') },
    '/repos/{owner}/{repo}/commits': { get: query('sha', 'path', 'page', 'limit') },
    '/admin/hooks': { get: query('page', 'limit') },
    '/admin/runners/registration-token': { get: {} },
    '/admin/actions/runners': { get: query('page', 'limit', 'visible') },
    '/admin/actions/runners/registration-token': { get: {} },
  },
};
const withoutRef = {
  ...fifteen,
  paths: { ...fifteen.paths, [runsPath]: { get: query('page', 'limit', 'event', 'status', 'run_number', 'head_sha') } },
};

const actionRun = (id: number, over: object = {}) => ({
  id,
  title: 'gpu',
  repository: { id: 8, name: 'gpu', full_name: 'acme/gpu', html_url: 'http://forge/acme/gpu', private: false },
  workflow_id: 'gpu.yml',
  index_in_repo: id - 4,
  trigger_user: user,
  ScheduleID: 0,
  prettyref: 'main',
  is_ref_deleted: false,
  commit_sha: '4a3d98f22fb74e0275c8822e079faf6c10678d36',
  event: 'push',
  event_payload: '{"…":"cut"}',
  trigger_event: 'push',
  status: 'failure',
  started: '2026-11-15T09:36:29Z',
  stopped: '2026-11-15T09:36:31Z',
  created: '2026-11-15T09:36:27Z',
  updated: '2026-11-15T09:36:31Z',
  duration: 2_000_000_000,
  html_url: `http://forge/acme/gpu/actions/runs/${id - 4}`,
  ...over,
});
const listOf = (...runs: object[]) => ({ workflow_runs: runs, total_count: runs.length });

async function forgejo(answer: (request: Seen) => unknown, described: object = fifteen) {
  const server = await play((request, response) => {
    if (request.path === '/swagger.v1.json') return json(response, 200, described);
    if (!request.path.startsWith('/api/v1/') || request.path.endsWith('/settings/api')) return;
    if (request.path === '/api/v1/version') return json(response, 200, { version: '15.0.3+gitea-1.22.0' });
    const body = answer(request);
    if (body === undefined) response.writeHead(204).end();
    else json(response, 200, body);
  });
  const forge = forgeAt(server.url);
  const paths = () => server.seen.map(({ method, path }) => `${method} ${path.slice('/api/v1'.length)}`);
  return { forge, api: forge.as(token), paths };
}

describe('runs of a Forgejo', () => {
  it('become runs like any other server’s', async () => {
    const { api } = await forgejo(() => listOf(actionRun(5)));
    const { items, total } = await api.runs.list(at);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      id: 5,
      run_number: 1,
      display_title: 'gpu',
      path: 'gpu.yml',
      status: 'completed',
      conclusion: 'failure',
      head_branch: 'main',
      head_sha: '4a3d98f22fb74e0275c8822e079faf6c10678d36',
      event: 'push',
      trigger_actor: { login: 'ada' },
      started_at: new Date('2026-11-15T09:36:29Z'),
      completed_at: new Date('2026-11-15T09:36:31Z'),
    });
    expect(JSON.stringify(items[0])).not.toContain('event_payload');
  });

  it.each([
    ['pull_request_sync', 'pull_request', 'pull_request'],
    ['push', 'schedule', 'schedule'],
    ['push', '', 'push'],
  ])('started by the webhook %s for “%s” are runs of %s', async (event, trigger_event, expected) => {
    const { api } = await forgejo(() => actionRun(5, { event, trigger_event }));
    expect(await api.runs.get({ ...at, run: 5 })).toMatchObject({ event: expected });
  });

  it.each([
    ['waiting', 'queued', undefined],
    ['blocked', 'waiting', undefined],
    ['running', 'in_progress', undefined],
    ['unknown', 'queued', undefined],
    ['success', 'completed', 'success'],
    ['cancelled', 'completed', 'cancelled'],
    ['skipped', 'completed', 'skipped'],
  ])('that are %s are %s', async (word, status, conclusion) => {
    const unset = '1970-01-01T00:00:00Z';
    const { api } = await forgejo(() => actionRun(5, { status: word, stopped: unset }));
    const run = await api.runs.get({ ...at, run: 5 });
    expect(run).toMatchObject({ status });
    expect(run.conclusion).toBe(conclusion);
    expect(run.completed_at).toBeUndefined();
  });

  it('are requested in its own terms', async () => {
    const { api, paths } = await forgejo(() => listOf());
    await api.runs.list({ ...at, query: { status: ['in_progress', 'queued'], exclude_pull_requests: true } });
    await api.runs.list({ ...at, query: { status: ['completed'], branch: 'main' } });
    await api.runs.list({ ...at, query: { run_number: 4 } });
    expect(paths()).toEqual([
      'GET /repos/acme/gpu/actions/runs?status=running&status=waiting',
      'GET /repos/acme/gpu/actions/runs?status=success&status=failure&status=cancelled&status=skipped&ref=refs%2Fheads%2Fmain',
      'GET /repos/acme/gpu/actions/runs?run_number=4',
    ]);
  });

  it('are not filtered by a word that would return all of them', async () => {
    const { api, paths } = await forgejo(() => listOf());
    await expect(api.runs.list({ ...at, query: { status: ['timed_out'] } })).rejects.toMatchObject({ neverSent: true });
    expect(paths()).toEqual([]);
  });

  it('are filtered here if the server ignores the filter', async () => {
    const rows = [actionRun(5, { prettyref: 'main' }), actionRun(6, { prettyref: 'try' }), actionRun(7)];
    const { api, paths } = await forgejo(() => listOf(...rows), withoutRef);
    const { items, total } = await api.runs.list({ ...at, query: { branch: 'try' } });
    expect(items.map(({ id }) => id)).toEqual([6]);
    expect(total).toBe(1);
    expect(await api.runs.list({ ...at, query: { actor: 'nobody' } })).toMatchObject({ items: [], total: 0 });
    expect(paths().join()).not.toMatch(/branch=|actor=/);
  });

  it('that are canceled without an answer count as done', async () => {
    const { api } = await forgejo(() => undefined);
    await expect(api.runs.cancel({ ...at, run: 5 })).resolves.toBeUndefined();
  });

  it('have jobs in a list of their own form, all at once', async () => {
    const job = { id: 9, run_id: 5, attempt: 1, name: 'train', needs: null, runs_on: ['gpu'], task_id: 1 };
    const { api } = await forgejo(() => [
      { ...job, status: 'running' },
      { ...job, id: 10, status: 'failure' },
    ]);
    const { items, hasMore } = await api.runs.listJobs({ ...at, run: 5, query: { limit: 2 } });
    expect(hasMore).toBe(false);
    expect(items).toMatchObject([
      { id: 9, run_attempt: 1, name: 'train', labels: ['gpu'], status: 'in_progress' },
      { id: 10, status: 'completed', conclusion: 'failure' },
    ]);
  });
});

describe('what a Forgejo ignores', () => {
  const by = (login: string, number: number) => ({ ...issue(number), user: { ...user, login } });

  it('is done here, over as many pages as needed', async () => {
    const pages = [[by('grace', 3)], [by('ada', 2)], [by('Ada', 1)]];
    const { api, paths } = await forgejo(({ path }) => {
      const page = Number(new URL(path, 'http://forge').searchParams.get('page'));
      return page > 3 ? [] : Array.from({ length: 50 }, () => pages[page - 1]?.[0]);
    });
    const { items } = await api.issues.search({ query: { created_by: 'ada', limit: 60 } });
    expect(items).toHaveLength(50);
    expect(paths().join()).not.toContain('created_by');
    expect(paths().length).toBeGreaterThan(1);
  });

  it('is done up to a limit, which is reported', async () => {
    const { api, paths } = await forgejo(() => Array.from({ length: 50 }, () => by('grace', 3)));
    const found = await api.issues.search({ query: { created_by: 'ada' } });
    expect(found).toMatchObject({ items: [], hasMore: false, note: 'Only the first 500 were searched.' });
    expect(paths()).toHaveLength(10);
  });

  it('is refused if it cannot be done here', async () => {
    const { api, paths } = await forgejo(() => []);
    expect((await api.admin.listHooks({ query: { type: 'system' } })).note).toBeUndefined();
    expect(paths()).toEqual(['GET /admin/hooks']);
    expect((await api.admin.listHooks({ query: { type: 'all' } })).note).toContain('system webhooks only');
    await expect(api.admin.listHooks({ query: { type: 'default' } })).rejects.toMatchObject({
      neverSent: true,
      hint: expect.stringContaining('lists system webhooks only'),
    });
  });

  it('includes the time of commits', async () => {
    const commit = (date: string) => ({ sha: date, commit: { message: date, committer: { name: 'ada', date } } });
    const rows = ['2026-11-03T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-01T00:00:00Z'].map(commit);
    const { api } = await forgejo(() => rows);
    const query = { since: '2026-11-01T12:00:00Z', until: '2026-11-02T12:00:00Z' };
    const { items } = await api.repos.listCommits({ ...at, query });
    expect(items.map(({ sha }) => sha)).toEqual(['2026-11-02T00:00:00Z']);
  });
});

describe('runners of a Forgejo', () => {
  it('have plain labels and one word for their state', async () => {
    const runner = { id: 1, name: 'builder-7', labels: ['gpu'], description: '', ephemeral: false };
    const { api } = await forgejo(() => [
      { ...runner, status: 'idle' },
      { ...runner, id: 2, status: 'active' },
      { ...runner, id: 3, status: 'offline' },
    ]);
    const { items } = await api.admin.listRunners();
    expect(items).toMatchObject([
      { labels: [{ name: 'gpu' }], status: 'online', busy: false },
      { status: 'online', busy: true },
      { status: 'offline' },
    ]);
    expect(items[0]?.disabled).toBeUndefined();
  });

  it('register with a token that is read, not created', async () => {
    const { api, paths } = await forgejo(() => ({ token: 'registration-token' }));
    expect(await api.admin.createRegistrationToken()).toEqual({ token: 'registration-token' });
    const { '/admin/actions/runners/registration-token': _, ...older } = fifteen.paths;
    const eleven = await forgejo(() => ({ token: 'registration-token' }), { ...fifteen, paths: older });
    await eleven.api.admin.createRegistrationToken();
    expect([...paths(), ...eleven.paths()]).toEqual([
      'GET /admin/actions/runners/registration-token',
      'GET /admin/runners/registration-token',
    ]);
    const line = await eleven.forge.requestLine('admin.createRegistrationToken', {});
    expect(`${line.method} ${line.path}`).toBe('GET /admin/runners/registration-token');
  });
});

it('is recognized by an address only Forgejo has, if it has no API document', async () => {
  const server = await play((request, response) => {
    if (request.path === '/api/forgejo/v1/version') json(response, 200, { version: '11.0.1+gitea-1.22.0' });
    if (request.path === '/api/v1/version') json(response, 200, { version: '11.0.1+gitea-1.22.0' });
    if (request.path.startsWith('/api/v1/repos')) text(response, 404, '404 page not found\n');
  });
  await expect(forgeAt(server.url).as(token).runs.list(at)).rejects.toMatchObject({
    unsupported: true,
    hint: 'The server runs Forgejo 11.0.1; it needs Forgejo 12 or later.',
  });
});

describe('what is created on each product', () => {
  const gitea = {
    info: { title: 'Gitea API', version: '1.26.0' },
    paths: { '/admin/hooks': { post: {} }, '/repos/migrate': { post: {} } },
  };
  const sent = async (product: object, create: (api: Api) => Promise<unknown>) => {
    const bodies: unknown[] = [];
    const { api } = await forgejo(({ body }) => {
      bodies.push(JSON.parse(body));
      return { id: 1, name: 'wheel', full_name: 'acme/wheel' };
    }, product);
    const refusal = await create(api).then(
      () => undefined,
      (error: unknown) => error,
    );
    return refusal === undefined ? bodies : { refusal, bodies };
  };
  const forgejoToo = { ...gitea, info: fifteen.info };
  const hook = {
    type: 'gitea',
    config: { url: 'https://ci.example.org', content_type: 'json' },
    active: true,
  } as const;
  const hooked = (product: object, events?: string[]) =>
    sent(product, (api) => api.admin.createHook({ body: { ...hook, ...(events && { events }) } }));
  const asked = ['push', 'pull_request_review', 'workflow_run'];

  it('is a webhook for the events by the product’s own names', async () => {
    expect(await hooked(gitea, asked)).toEqual([{ ...hook, events: asked }]);
    const reviews = ['approved', 'rejected', 'comment'].map((each) => `pull_request_review_${each}`);
    const runs = ['failure', 'recover', 'success'].map((each) => `action_run_${each}`);
    expect(await hooked(forgejoToo, asked)).toEqual([{ ...hook, events: ['push', ...reviews, ...runs] }]);
  });

  it('is a webhook for the default events if none are named', async () => {
    expect(await hooked(gitea)).toEqual([hook]);
    expect(await hooked(forgejoToo)).toEqual([hook]);
  });

  it('is no webhook for events that Forgejo would drop, unless they are only wanted where known', async () => {
    const refusal = { neverSent: true, hint: 'Forgejo has no webhook event status, workflow_job: leave it out.' };
    expect(await hooked(forgejoToo, ['push', 'status', 'workflow_job'])).toMatchObject({ refusal, bodies: [] });
    expect(await hooked(gitea, ['push', 'status', 'workflow_job'])).toMatchObject([
      { events: ['push', 'status', 'workflow_job'] },
    ]);
    const events = ['push', whereKnown('status')];
    expect(await hooked(forgejoToo, events)).toMatchObject([{ events: ['push'] }]);
    expect(await hooked(gitea, events)).toMatchObject([{ events: ['push', 'status'] }]);
  });

  it('is an import from a service that the product knows', async () => {
    const wheel = { clone_addr: 'https://example.org/ada/wheel', repo_name: 'wheel' };
    const imported = (product: object, service: 'forgejo' | 'codecommit' | 'github') =>
      sent(product, (api) => api.repos.migrate({ body: { ...wheel, service } }));
    const from = (service: string) => [{ ...wheel, service }];
    expect(await imported(gitea, 'forgejo')).toEqual(from('gitea'));
    expect(await imported(gitea, 'codecommit')).toEqual(from('codecommit'));
    expect(await imported(gitea, 'github')).toEqual(from('github'));
    expect(await imported(forgejoToo, 'forgejo')).toEqual(from('forgejo'));
    expect(await imported(forgejoToo, 'github')).toEqual(from('github'));
    const refusal = { neverSent: true, hint: expect.stringContaining('cannot import from CodeCommit') };
    expect(await imported(forgejoToo, 'codecommit')).toMatchObject({ refusal, bodies: [] });
  });
});

it('gets the title and the message of a merge under both names', async () => {
  const merge = '/repos/{owner}/{repo}/pulls/{index}/merge';
  const described = { ...fifteen, paths: { ...fifteen.paths, [merge]: { post: {} } } };
  const sent: unknown[] = [];
  const { api } = await forgejo(({ body }) => {
    sent.push(JSON.parse(body));
    return undefined;
  }, described);
  const body = { Do: 'squash', merge_title_field: 'One', merge_message_field: 'Two' } as const;
  await api.pulls.merge({ ...at, index: 3, body });
  expect(sent).toEqual([{ ...body, MergeTitleField: 'One', MergeMessageField: 'Two' }]);
});
