import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { close, connect, ready } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { type Shown, talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  commands:
    key add:
      count: 0
    hook create:
      channel: C0GENERAL1
`;
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a';

let bellows: Bellows;
let redis: ReturnType<typeof connect>;
const { type, after } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ policy, logLevel: 'debug' });
  redis = connect(bellows.redisUrl);
  await ready(redis);
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(async () => {
  await close(redis);
  await bellows.close();
});

/** The whole value of a key, whatever its type. */
async function contents(one: Redis, name: string): Promise<string> {
  switch (await one.type(name)) {
    case 'string':
      return (await one.get(name)) ?? '';
    case 'hash':
      return JSON.stringify(await one.hgetall(name));
    case 'list':
      return JSON.stringify(await one.lrange(name, 0, -1));
    case 'set':
      return JSON.stringify(await one.smembers(name));
    case 'zset':
      return JSON.stringify(await one.zrange(name, '0', '-1'));
    case 'stream':
      return JSON.stringify(await one.xrange(name, '-', '+'));
    default:
      return '';
  }
}

async function keysHolding(secret: string): Promise<string[]> {
  // The tests’ Redis is one server.
  const one = redis as Redis;
  const names = await one.keys('*');
  const values = await Promise.all(names.map(async (name) => [name, `${name} ${await contents(one, name)}`] as const));
  return values.filter(([, value]) => value.includes(secret)).map(([name]) => name);
}

/** In no key, log line or channel; it only reached the forge. */
async function nowhere(secret: string, shownTo: string[] = []): Promise<void> {
  expect(secret.length).toBeGreaterThan(7);
  expect(await keysHolding(secret)).toEqual([]);
  expect(bellows.logged.filter((line) => line.includes(secret))).toEqual([]);
  const { state } = bellows.slack;
  for (const channel of state.channels.values()) {
    const readers = channel.kind === 'im' ? shownTo.map((user) => state.dm(user).id) : [];
    const shown = state.messages(channel.id).filter((message) => JSON.stringify(message).includes(secret));
    if (!readers.includes(channel.id)) expect(shown, channel.name).toEqual([]);
  }
  const others = [...state.users.values()].filter(({ name }) => !shownTo.includes(name));
  for (const { id } of others) expect(JSON.stringify(state.ephemerals(id))).not.toContain(secret);
}

const formCommand = (user: string, line: string, fill: Readonly<Record<string, string>>): Promise<Shown> =>
  after(user, async () => {
    const actor = bellows.slack.as(user);
    await actor.command('engine', '/forge', line);
    await actor.fill(fill);
    expect((await actor.submit()).errors).toEqual({});
  });

it('signs in without storing the token unencrypted', async () => {
  await nowhere(bellows.forge.account('ada').token());
});

it.each([
  ['a token alone', (token: string) => token],
  ['a token by name', (token: string) => `token=${token}`],
  ['a login before it', (token: string) => `linus ${token}`],
  ['a flag', (token: string) => `--token ${token}`],
  ['quotes', (token: string) => `"${token}`],
])('opens the sign-in form and drops what was typed: %s', async (_case, typed) => {
  const token = 'typed-where-it-does-not-belong';
  const alan = bellows.slack.as('alan');
  await alan.command('general', '/forge', `signin ${typed(token)}`);
  const view = await bellows.slack.until(() => alan.openView());
  expect(words(view)).toContain('Access token');
  expect(JSON.stringify(view)).not.toContain(token);
  await alan.close();
  await nowhere(token);
});

it('uses a password once, and keeps neither it nor the token made with it', async () => {
  const { slack, forge } = bellows;
  const alan = slack.as('alan');
  await alan.command('general', '/forge', 'signin other');
  await alan.fill({ login: 'margaret', password: 'sandbox-margaret' });
  await alan.submit();
  await slack.until(() => alan.sees('general').find(({ text }) => text.includes('linked as')));
  const made = [...forge.world.state.tokens.values()].filter(({ user }) => user.login === 'margaret');
  expect(made.length).toBeGreaterThan(0);
  for (const secret of ['sandbox-margaret', ...made.map((token) => token.secret)]) await nowhere(secret);
});

it('does not even keep the sealed secret in finished work', async () => {
  const held = async () => (await keysHolding('sealed')).filter((name) => name.includes(':act:j-'));
  await expect.poll(held).toEqual([]);
});

it('sends an approved registration token only to the requester', async () => {
  const { slack, forge } = bellows;
  const [ada, grace] = [slack.as('ada'), slack.as('grace')];
  await ada.command('engine', '/forge', 'runner token');
  const card = await slack.until(() => grace.sees('engine').findLast((shown) => words(shown).includes('"Approve"')));
  await grace.click(card, 'Approve');
  const secret = await slack.until(() => ada.sees(ada.dm).find((shown) => words(shown).includes('Registration token')));
  const token = forge.world.state.site.registrationToken ?? '';
  expect(words(secret)).toContain(token);
  await slack.until(() => grace.sees('engine').find((shown) => words(shown).includes('went to the requester')));
  await nowhere(token, ['ada']);
  // a direct message stays, so it says so and can be deleted
  expect(words(secret)).toContain('Delete this message after copying it.');
  expect(words(secret)).not.toContain('before you close this');
  await ada.click(secret, 'Delete message');
  await slack.until(() => !ada.sees(ada.dm).some(({ ts }) => ts === secret.ts));
  await nowhere(token);
});

it('shows the token of an HTTPS key once, to the requester', async () => {
  const token = 'the-one-time-token-of-a-deploy-key';
  const made = {
    id: 9,
    key_id: 9,
    title: 'build',
    key,
    fingerprint: 'SHA256:x',
    key_type: 'token',
    token,
    read_only: true,
  };
  bellows.forge.faults.add({
    on: 'POST /repos/{owner}/{repo}/keys',
    trouble: { text: JSON.stringify(made), status: 201, type: 'application/json' },
  });
  const answer = await type('ada', `key add acme/engine build ${key}`);
  expect(answer.onlyFor).toBe('U0ADA00001');
  expect(words(answer)).toContain(token);
  await nowhere(token, ['ada']);
});

it('sends the secrets of an import, and keeps them nowhere', async () => {
  const secrets = {
    password: 'password-of-the-source',
    token: 'token-of-the-source',
    secretKey: 'aws-secret-of-the-source',
  };
  const answer = await formCommand('ada', 'repo migrate https://example.org/ada/loom.git', {
    repository: 'acme/loom',
    login: 'ada',
    ...secrets,
  });
  expect(answer.text).toContain('Imported');
  const body = bellows.forge.requests.of('POST /repos/migrate').at(-1)?.body;
  expect(body).toMatchObject({ auth_password: secrets.password, auth_token: secrets.token });
  for (const secret of Object.values(secrets)) await nowhere(secret);
});

it('keeps a secret out of a failed import’s message', async () => {
  const token = 'token-that-the-forge-repeats';
  bellows.forge.faults.add({
    on: 'POST /repos/migrate',
    trouble: { status: 422, message: `authentication failed with ${token} for https://ada:${token}@example.org` },
  });
  const answer = await formCommand('ada', 'repo migrate https://example.org/ada/wheel.git', {
    repository: 'acme/wheel',
    token,
  });
  expect(words(answer)).toContain('authentication failed');
  expect(words(answer)).not.toContain(token);
  await nowhere(token);
});

it('requests approval for a hook without showing its secrets, and sends them afterwards', async () => {
  const { slack, forge } = bellows;
  const secrets = { secret: 'signing-secret-of-the-hook', authorization: 'Bearer header-of-the-hook' };
  const address = 'https://hooks.example.org/services/T000/B000/part-of-the-address';
  await formCommand('ada', 'hook create', { ...secrets, secretAddress: address, type: 'slack', channel: '#builds' });
  const grace = slack.as('grace');
  const card = await slack.until(() =>
    grace.sees('general').find((shown) => words(shown).includes('wants to add a webhook')),
  );
  expect(words(card)).toContain('hooks.example.org');
  const all = [secrets.secret, 'header-of-the-hook', 'part-of-the-address'];
  for (const secret of all) await nowhere(secret);
  await grace.click(card, 'Approve');
  await slack.until(() => grace.sees('general').find((shown) => words(shown).includes('✅ Approved by')));
  expect(forge.requests.of('POST /admin/hooks').at(-1)?.body).toMatchObject({
    config: { secret: secrets.secret, url: address },
    authorization_header: secrets.authorization,
  });
  for (const secret of all) await nowhere(secret);
});

it('names a secret in the audit without showing it', async () => {
  const answer = await type('ada', 'audit repo migrate --outcome done');
  expect(words(answer)).toContain('[secret]');
});
