import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/chat/linking.js';
import type { Services } from '../../src/chat/session.js';
import { createSignIn } from '../../src/chat/sign-in.js';
import { callbackUrl } from '../../src/config.js';
import { createForge, type Forge } from '../../src/forge/index.js';
import { mountSignIn } from '../../src/http/sign-in.js';
import { createLog } from '../../src/log.js';
import { createSeal, type Person } from '../../src/store/index.js';
import type { Message } from '../../src/view/message.js';
import { readable } from '../../src/view/text.js';
import { Browser } from '../support/browser.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
const log = createLog({ level: 'silent' });
const publicUrl = 'https://bellows.example/chat/';
const grace = { team: 'T1', user: 'U0GRACE001' };
const boss = { team: 'T1', user: 'U0BOSS0001' };
const people = new Map<string, { name: string; deleted?: boolean; bot?: boolean }>();
const told: { person: Person; id: string; message: Message }[] = [];
let sandbox: SandboxForge;
let app: Hono;

beforeAll(async () => {
  sandbox = await startForge();
});
afterAll(() => sandbox.close());

let clients: Forge[] = [];
beforeEach(async () => {
  people.clear();
  for (const { user } of [grace, boss]) people.set(user, { name: user });
  told.length = 0;
  sandbox.faults.clear();
  sandbox.world.state.oauth.apps.clear();
  sandbox.world.state.oauth.grants.clear();
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
  app = opened();
});

const linkAt = () => createSignInLink({ seal: createSeal(testKeys), forgeId: 'f0', publicUrl, now: at.now });
/** The button in Slack, as the path that a proxy passes on. */
const pathOf = (person: Person) => passedOn(linkAt().url(person));
const passedOn = (address: string) => address.replace('https://bellows.example/chat', '');

/** Bellows' own pages, where people reach them at this address. */
function opened({ url = publicUrl, secret, registered = true }: Opening = {}): Hono {
  const redirectUri = callbackUrl(url);
  const made = sandbox.world.registerApp({
    as: 'ada',
    name: 'Bellows',
    redirectUris: [redirectUri],
    confidential: true,
  });
  const oauth = registered ? { clientId: made.clientId, clientSecret: secret ?? made.secret, redirectUri } : undefined;
  const forge = createForge({ url: sandbox.url, oauth, retry: { attempts: 1 } });
  clients.push(forge);
  const services = {
    store: at.store,
    forge,
    slack: { user: async (id: string) => people.get(id) },
    roles: { of: ({ user }: Person) => (user === boss.user ? 'admin' : 'member') },
    log,
    slash: '/forge',
  } as Partial<Services> as Services;
  const signIn = createSignIn({
    services,
    link: linkAt(),
    workspace: { id: 'T1', name: 'Acme' },
    tell: async (person, id, message) => void told.push({ person, id, message }),
  });
  const pages = new Hono();
  mountSignIn(pages, { signIn, publicUrl: url, log, now: at.now });
  return pages;
}

interface Opening {
  readonly url?: string;
  readonly secret?: string;
  readonly registered?: boolean;
}

async function ask(path: string, { cookie = '', from = '192.0.2.1' } = {}) {
  const incoming = { socket: { remoteAddress: from, remotePort: 1, remoteFamily: 'IPv4' } };
  const answer = await app.request(path, { headers: { cookie } }, { incoming });
  const [set] = answer.headers.getSetCookie();
  return {
    status: answer.status,
    text: await answer.text(),
    headers: answer.headers,
    to: new URL(answer.headers.get('location') ?? 'none:'),
    set,
    cookie: set?.split(';')[0] ?? '',
  };
}

/** From the button in Slack to the forge, where this account agrees. */
async function atForge(person: Person, login: string, granted = true) {
  const started = await ask(pathOf(person));
  const browser = new Browser();
  await browser.send(`${sandbox.url}/user/login`, {
    user_name: login,
    password: sandbox.account(login).password ?? '',
  });
  const page = await browser.send(started.to.href);
  const back = page.status === 200 ? await browser.post(sandbox.url, page.text, { granted: String(granted) }) : page;
  const address = String(back.headers['location']);
  return { ...started, path: passedOn(address), query: new URL(address).searchParams };
}

async function finish(person: Person, login: string, granted = true) {
  const { path, cookie } = await atForge(person, login, granted);
  return ask(path, { cookie });
}

const numberIn = (text: string): string => (/<output>([\d ]+)<\/output>/.exec(text)?.[1] ?? '').replace(' ', '');
const link = (person: Person, credential: Parameters<typeof at.store.accounts.put>[1]['credential'], login = 'grace') =>
  at.store.accounts.put(person, {
    login,
    forgeUserId: sandbox.world.user(login)?.id ?? 0,
    verified: true,
    credential,
  });
const held = { kind: 'oauth', access: 'before', refresh: 'before', expiresAt: 0, lifeMs: 1 } as const;

describe('a sign-in at the forge', () => {
  it('asks for what the person’s role needs, and for an admin’s scope from admins only', async () => {
    const { status, to } = await ask(pathOf(grace));
    expect(status).toBe(303);
    expect(`${to.origin}${to.pathname}`).toBe(`${sandbox.url}/login/oauth/authorize`);
    const asked = Object.fromEntries(to.searchParams);
    expect(asked).toMatchObject({
      redirect_uri: 'https://bellows.example/chat/oauth/callback',
      response_type: 'code',
      scope: 'write:repository write:issue write:notification write:user write:organization read:package',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect((await ask(pathOf(boss))).to.searchParams.get('scope')).toContain('write:admin');
  });

  it('keeps its state in a cookie for its own pages, over https only where that is used', async () => {
    const { set, to } = await ask(pathOf(grace));
    const state = to.searchParams.get('state');
    const rest = 'HttpOnly; Secure; SameSite=Lax';
    expect(set).toBe(`bellows_sign_in=${state}; Max-Age=600; Path=/chat/oauth; ${rest}`);
    app = opened({ url: 'http://127.0.0.1:3000' });
    expect((await ask(pathOf(grace))).set).toMatch(/; Path=\/oauth; HttpOnly; SameSite=Lax$/);
  });

  it('shows both accounts and a number, and asks the person in Slack', async () => {
    const page = await finish(grace, 'grace');
    expect(page.status).toBe(200);
    expect(page.set).toMatch(/^bellows_sign_in=; Max-Age=0; Path=\/chat\/oauth;/);
    expect(page.text).toContain('<dd>U0GRACE001</dd>');
    expect(page.text).toContain('<dd>Acme</dd>');
    expect(page.text).toContain(`<dd>grace on ${new URL(sandbox.url).host}</dd>`);
    expect(page.text).toMatch(/<output>\d{3} \d{3}<\/output>/);
    expect(told).toMatchObject([{ person: grace, id: expect.stringMatching(/^link-offer:U0GRACE001:[\w-]{8}$/) }]);
    expect(readable(told[0]?.message.text ?? '')).toContain('You signed in on the forge as grace');
    expect(JSON.stringify(told[0]?.message)).toContain('"Link as grace"');
    expect(await at.store.accounts.get(grace)).toBeUndefined();
    const { exchanged } = sandbox.world.state.oauth;
    expect(exchanged.at(-1)).toEqual({ grantType: 'authorization_code', status: 200 });
    const offer = await at.store.signIns.redeem(grace, numberIn(page.text));
    expect(offer).toMatchObject({
      login: 'grace',
      forgeUserId: sandbox.world.user('grace')?.id,
      credential: { kind: 'oauth', refresh: expect.any(String), expiresAt: at.now() + 3_600_000, lifeMs: 3_600_000 },
    });
  });

  it('keeps no refresh token, and an hour of life, where the forge names neither', async () => {
    const text = JSON.stringify({ access_token: sandbox.account('grace').token(), token_type: 'bearer' });
    sandbox.faults.add({ on: /access_token/, trouble: { text, type: 'application/json' } });
    const offer = await at.store.signIns.redeem(grace, numberIn((await finish(grace, 'grace')).text));
    const credential = typeof offer === 'object' ? offer.credential : undefined;
    expect(credential).toMatchObject({ lifeMs: 3_600_000 });
    expect(credential).not.toHaveProperty('refresh');
  });
});

describe('someone who is linked', () => {
  it('to the same account continues with the new tokens, and nothing is asked', async () => {
    await link(grace, held);
    const page = await finish(grace, 'grace');
    expect(page.text).toContain('Already linked');
    expect(page.text).toContain('<dd>U0GRACE001</dd>');
    expect(told).toEqual([]);
    const now = await at.store.accounts.credential(grace);
    expect(now).toMatchObject({ kind: 'oauth', expiresAt: at.now() + 3_600_000 });
    expect(now).not.toMatchObject({ access: 'before' });
  });

  it.each([
    ['to another account', async () => link(grace, held, 'linus')],
    ['by a token', async () => link(grace, { kind: 'token', token: 'before' })],
    [
      'no longer',
      async () => {
        await link(grace, held);
        const account = await at.store.accounts.get(grace);
        await at.store.accounts.markRevoked(grace, account?.linkedAt ?? 0);
      },
    ],
  ])('%s is asked first', async (_, before) => {
    await before();
    const kept = await at.store.accounts.credential(grace);
    expect(numberIn((await finish(grace, 'grace')).text)).toMatch(/^\d{6}$/);
    expect(told).toHaveLength(1);
    expect(await at.store.accounts.credential(grace)).toEqual(kept);
  });
});

describe('a sign-in is refused', () => {
  const isRefused = ({ status, text, headers }: Awaited<ReturnType<typeof ask>>, says: string) => {
    expect(text).toContain(says);
    expect(status).toBe(400);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(told).toEqual([]);
  };
  const expired = 'has expired or was already used. Run /forge signin in Slack again.';

  it.each([
    ['unknown', undefined],
    ['deleted', { name: 'grace', deleted: true }],
    ['a bot', { name: 'grace', bot: true }],
  ])('if its Slack person is %s, at the start and at the end', async (_, person) => {
    const { path, cookie } = await atForge(grace, 'grace');
    if (person) people.set(grace.user, person);
    else people.delete(grace.user);
    isRefused(await ask(pathOf(grace)), expired);
    isRefused(await ask(path, { cookie }), expired);
  });

  it('if its Slack person is of another workspace', async () => {
    isRefused(await ask(pathOf({ ...grace, team: 'T2' })), expired);
  });

  it('if Bellows is no longer registered at the forge', async () => {
    const { path, cookie } = await atForge(grace, 'grace');
    app = opened({ registered: false });
    isRefused(await ask(pathOf(grace)), expired);
    isRefused(await ask(path, { cookie }), expired);
  });

  it('from a link that was changed or is too old', async () => {
    isRefused(await ask('/oauth/start?for=nonsense'), expired);
    const path = pathOf(grace);
    at.pass(600_000);
    isRefused(await ask(path), expired);
  });

  it('by a browser that did not start it, or with a state that is not known', async () => {
    const { path, query, cookie } = await atForge(grace, 'grace');
    isRefused(await ask(path), expired);
    isRefused(await ask(path, { cookie: `bellows_sign_in=${'a'.repeat(43)}` }), expired);
    const other = new URLSearchParams(query);
    other.set('state', 'a'.repeat(43));
    isRefused(await ask(`/oauth/callback?${other}`, { cookie: `bellows_sign_in=${'a'.repeat(43)}` }), expired);
    // none of these used it up
    expect((await ask(path, { cookie })).status).toBe(200);
  });

  it('with an address that nobody’s forge or button has', async () => {
    const { query, cookie } = await atForge(grace, 'grace');
    const state = query.get('state') ?? '';
    const incomplete = 'This address is incomplete.';
    for (const each of ['', '?for=', `?for=${'x'.repeat(1_001)}`])
      isRefused(await ask(`/oauth/start${each}`), incomplete);
    isRefused(await ask(`/oauth/start?for=${'x'.repeat(1_000)}`), expired);
    const long = 'x'.repeat(2_001);
    for (const each of ['', 'state=short', `state=${state}x`, `state=x${state}`, `state=${state}&code=${long}`]) {
      const answer = await ask(`/oauth/callback?${each}`, { cookie });
      isRefused(answer, incomplete);
      expect(answer.set).toBeUndefined();
    }
    const words = `state=${state}&error=access_denied&error_description=${'x'.repeat(2_000)}`;
    isRefused(await ask(`/oauth/callback?${words}`, { cookie }), 'You canceled the sign-in. Nothing was linked.');
  });

  it('if the person cancels at the forge', async () => {
    isRefused(await finish(grace, 'grace', false), 'You canceled the sign-in. Nothing was linked.');
  });

  it('after too many in a row', async () => {
    for (let begun = 0; begun < 10; begun += 1) await at.store.signIns.begin(grace, 'verifier');
    isRefused(await ask(pathOf(grace)), 'Too many sign-ins in a row. Wait ten minutes and try again.');
  });

  it('with a way out if the forge kept an earlier consent with other scopes', async () => {
    const { cookie, to } = await ask(pathOf(grace));
    const state = to.searchParams.get('state') ?? '';
    const words = new URLSearchParams({
      state,
      error: 'server_error',
      error_description: 'a grant exists with different scope',
    });
    isRefused(await ask(`/oauth/callback?${words}`, { cookie }), 'You gave Bellows other permissions before.');
  });

  it('with another reason if the forge gives one that is not the person’s', async () => {
    const { cookie, to } = await ask(pathOf(grace));
    const words = new URLSearchParams({ state: to.searchParams.get('state') ?? '', error: 'server_error' });
    isRefused(await ask(`/oauth/callback?${words}`, { cookie }), expired);
  });

  it.each([500, 503, 429, 404])('for now if the forge answers with %i', async (html) => {
    const { path, cookie } = await atForge(grace, 'grace');
    sandbox.faults.add({ on: /access_token/, trouble: { html } });
    isRefused(
      await ask(path, { cookie }),
      'The forge is not responding. Run /forge signin in Slack again in a minute.',
    );
  });

  it.each([
    ['no JSON', { text: 'well', type: 'text/plain' }],
    ['no JSON, though it says so', { text: 'well', type: 'application/json' }],
    ['no token', { text: '{}', type: 'application/json' }],
  ])('if the forge answers with %s', async (_, trouble) => {
    const { path, cookie } = await atForge(grace, 'grace');
    sandbox.faults.add({ on: /access_token/, trouble });
    isRefused(await ask(path, { cookie }), expired);
  });

  it('if the code does not fit, and points to an admin if the application does not', async () => {
    const { query, cookie } = await atForge(grace, 'grace');
    query.set('code', 'another');
    isRefused(await ask(`/oauth/callback?${query}`, { cookie }), expired);
    app = opened({ secret: 'wrong' });
    isRefused(await finish(grace, 'grace'), 'Ask a Bellows admin to run bellows doctor.');
  });

  it('as Bellows’ own failure if it is one', async () => {
    const { path, cookie } = await atForge(grace, 'grace');
    at.store.signIns.offer = async () => {
      throw new Error('Redis is full');
    };
    const { status, text } = await ask(path, { cookie });
    expect(status).toBe(500);
    expect(text).toContain('failed because of a problem in Bellows');
    expect(text).not.toContain('Redis');
  });
});

describe('requests with a ticket of ours', () => {
  const isLimited = async (path: string, from: string) => (await ask(path, { from })).status === 429;
  async function admitted(paths: readonly string[], from = '192.0.2.1'): Promise<number> {
    let passed = 0;
    for (const path of paths) if (!(await isLimited(path, from))) passed += 1;
    return passed;
  }
  const times = (path: string, count: number) => Array.from({ length: count }, () => path);
  const some = (count: number) =>
    Array.from({ length: count }, (_, number) => pathOf({ team: 'T1', user: `U${number}` }));

  it('are limited for each ticket: twenty at once, then one in ten seconds', async () => {
    const path = pathOf(grace);
    expect(await admitted(times(path, 25))).toBe(20);
    at.pass(9_000);
    expect(await admitted(times(path, 2))).toBe(0);
    at.pass(1_000);
    expect(await admitted(times(path, 2))).toBe(1);
    at.pass(500_000);
    expect(await admitted(times(path, 25))).toBe(20);
    expect(await admitted([pathOf(boss)])).toBe(1);
  });

  it('are limited for each address: fifty at once, then five in a second', async () => {
    expect(await admitted(some(60))).toBe(50);
    expect(await admitted(some(2), '192.0.2.2')).toBe(2);
    at.pass(1_000);
    expect(await admitted(some(10))).toBe(5);
    const { text } = await ask(pathOf(grace));
    expect(text).toContain('Too many requests. Wait a minute and try again.');
  });

  it('are not limited by those without one', async () => {
    expect(await admitted(times('/oauth/start?for=guess', 80))).toBe(80);
    expect(await admitted([pathOf(grace)])).toBe(1);
  });
});
