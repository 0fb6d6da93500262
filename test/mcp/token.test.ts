import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { everythingIn, testKeys } from '../support/redis.js';
import { addAgent, clientOver, overHttp } from './agent.js';

const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n';
const records = 'bellows:{main:agents}:all';
let bellows: Bellows;
let store: Store;
let token: string;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ policy, agents: true, publicUrl: 'https://bellows.example.org', logLevel: 'debug' });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await ready(store.redis);
  await bellows.link('ada');
  await bellows.link('grace');
  token = await addAgent(bellows, 'ada', 'Courier --may "issue *, run *" --pace 120');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const idOf = (text: string) => text.split('_')[1] ?? '';
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

async function post(given: {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}) {
  const answer = await fetch(`${bellows.address}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(given.token === undefined ? {} : { authorization: `Bearer ${given.token}` }),
      ...given.headers,
    },
    body: given.body ?? JSON.stringify(list),
  });
  return { status: answer.status, text: await answer.text() };
}

it('is opened by the token, and by nothing else', async () => {
  const other = await addAgent(bellows, 'grace', 'Other --may "issue *"');
  const [, , secret = ''] = /^bwa_([a-z0-9]+)_(.*)$/.exec(other) ?? [];
  expect(await post({ token })).toMatchObject({ status: 200, text: expect.stringContaining('issue_show') });
  for (const wrong of [
    undefined,
    '',
    'bwa_',
    `bwa_${idOf(token)}_${'A'.repeat(43)}`,
    // one agent's secret with the id of another person's agent
    `bwa_${idOf(token)}_${secret}`,
    `bwa_${'0'.repeat(12)}_${secret}`,
    bellows.forge.users['ada']?.token() ?? '',
  ])
    expect(await post(wrong === undefined ? {} : { token: wrong })).toMatchObject({ status: 401 });
});

it('refuses pages of other origins, other methods and oversized requests', async () => {
  expect(await post({ token, headers: { origin: 'https://evil.example' } })).toMatchObject({ status: 403 });
  expect(await post({ token, headers: { origin: 'https://bellows.example.org' } })).toMatchObject({ status: 200 });
  expect((await fetch(`${bellows.address}/mcp`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(405);
  expect(await post({ token, body: '{' })).toMatchObject({ status: 400 });
  const large = await post({ token, body: JSON.stringify({ ...list, params: { x: 'x'.repeat(300_000) } }) }).catch(
    () => ({ status: 413 }),
  );
  expect(large.status).toBe(413);
});

it('stores the token nowhere: not in Redis, a log, the audit or a channel', async () => {
  const agent = await clientOver(overHttp(bellows.address, token));
  await agent.call('issue_show', { issue: 'acme/engine#2' });
  await agent.close();
  const secret = token.slice(-43);
  expect(JSON.stringify(await everythingIn(bellows.redisUrl))).not.toContain(secret);
  expect(bellows.logged.filter((line) => line.includes(secret))).toEqual([]);
  const { rows } = await store.audit.read({}, { limit: 100 });
  expect(rows.map(({ entry }) => entry)).toContainEqual(
    expect.objectContaining({ command: 'issue show', agent: { id: idOf(token), name: 'Courier' }, outcome: 'done' }),
  );
  expect(JSON.stringify(rows)).not.toContain(secret);
  const others = bellows.slack.as('grace').sees('engine');
  expect(JSON.stringify(others)).not.toContain(secret);
  const lasting = bellows.slack.calls.all.filter(({ method }) => method === 'chat.postMessage');
  expect(JSON.stringify(lasting)).not.toContain(secret);
});

it('is shown ephemerally even if it was requested in a direct message', async () => {
  const ada = bellows.slack.as('ada');
  await ada.post(ada.dm, 'agents add Whisper --may "issue *"');
  await bellows.slack.until(() => ada.sees(ada.dm).find((shown) => words(shown).includes('bwa_')));
  const lasting = bellows.slack.calls.all.filter(({ method }) => method === 'chat.postMessage');
  expect(JSON.stringify(lasting)).not.toContain('bwa_');
});

it('refuses a record that Bellows did not write, or wrote for another agent', async () => {
  const redis = store.redis;
  const id = idOf(token);
  const stored = (await redis.hget(records, id)) ?? '';
  const wider = stored.replace('"issue *"', '"cron *"');
  expect(wider).not.toBe(stored);
  for (const forged of [wider, stored.slice(stored.indexOf('{')), (await redis.hget(records, 'none')) ?? '']) {
    await redis.hset(records, id, forged);
    expect(await post({ token })).toMatchObject({ status: 401 });
  }
  const [, , secret = ''] = /^bwa_([a-z0-9]+)_(.*)$/.exec(token) ?? [];
  await redis.hset(records, 'abcdefabcdef', stored);
  expect(await post({ token: `bwa_abcdefabcdef_${secret}` })).toMatchObject({ status: 401 });
  await redis.hdel(records, 'abcdefabcdef');
  await redis.hset(records, id, stored);
  expect(await post({ token })).toMatchObject({ status: 200 });
  await expect
    .poll(async () => (await store.audit.read({ outcome: 'forged' }, { limit: 10 })).rows.length)
    .toBeGreaterThan(0);
});

it('is one of twenty at most', async () => {
  const agent = await store.agents.get(idOf(token));
  if (!agent) throw new Error('the agent is there');
  const { hash, createdAt, ...rest } = agent;
  const grace = { team: rest.team, user: 'U0GRACE001' };
  for (const number of Array.from({ length: 20 }).keys())
    await store.agents.put({ ...rest, ...grace, id: `crowd${String(number).padStart(7, '0')}`, name: `Bot ${number}` });
  expect(words(await type('grace', 'agents add One --may "issue *"'))).toContain('You already have 20 agents');
  await store.agents.forget(grace);
});

it('ends at once: expired, of another workspace, revoked by an admin, signed out', async () => {
  const agent = await store.agents.get(idOf(token));
  if (!agent) throw new Error('the agent is there');
  const { hash, createdAt, ...rest } = agent;
  const short = await store.agents.put({ ...rest, id: 'feedfeedfeed', expiresAt: Date.now() - 60_000 });
  expect(await post({ token: short.token })).toMatchObject({ status: 401 });

  const elsewhere = await store.agents.put({ ...rest, id: 'deedfeedfeed', team: 'T0ELSEWHERE' });
  expect(await post({ token: elsewhere.token })).toMatchObject({ status: 401 });
  expect(words(await type('ada', 'agents list --everyone'))).not.toContain('deedfeedfeed');
  expect(words(await type('ada', 'agents revoke deedfeedfeed'))).toContain('You have no agent named');
  expect(words(await type('alan', `agents revoke ${idOf(token)}`))).toContain('You have no agent named');
  expect(await post({ token })).toMatchObject({ status: 200 });

  const doomed = await addAgent(bellows, 'grace', 'Doomed --may "issue *"');
  expect(await post({ token: doomed })).toMatchObject({ status: 200 });
  expect(words(await type('ada', `agents revoke ${idOf(doomed)}`))).toContain('Revoked *Doomed*');
  expect(await post({ token: doomed })).toMatchObject({ status: 401 });

  expect(words(await type('ada', 'signout'))).toContain('Signed out');
  expect(await post({ token })).toMatchObject({ status: 401 });
  expect(await store.agents.ownedBy({ team: bellows.slack.teamId, user: 'U0ADA00001' })).toEqual([]);
});
