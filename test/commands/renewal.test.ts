import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { credentialOf } from '../../src/chat/credential.js';
import { createForge, type Forge } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { signingIn } from '../support/sign-in.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { signIn } = signingIn(() => bellows);

const forge = { flavor: 'forgejo-15' } as const;
const person = { team: 'T0SANDBOX1', user: 'U0ADA00001' };
const refreshes = () =>
  bellows.forge.world.state.oauth.exchanged.filter(({ grantType }) => grantType === 'refresh_token');
/** The stored token expires within a minute, so the next request renews it. */
async function age(): Promise<void> {
  const { store, end } = await opened();
  const held = await store.accounts.credential(person);
  if (held?.kind === 'oauth') await store.renewals.put(person, held, { ...held, expiresAt: Date.now() + 60_000 });
  await end();
}
const refused = () => refreshes().filter(({ status }) => status !== 200);

beforeAll(async () => {
  bellows = await startBellows({ forge, oauth: {}, pollMs: 600_000 });
  person.team = bellows.slack.teamId;
  await signIn('ada');
  // reading her notifications renews as well: not amid a test
  await vi.waitUntil(() => bellows.forge.requests.of('GET /notifications').length > 0, 120_000);
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('a token that is about to expire', () => {
  beforeEach(age);

  it('is renewed before it is used, each refresh token once', async () => {
    const before = refreshes().length;
    expect(words(await type('ada', 'issue show acme/engine#2'))).toContain('Print results');
    expect(refreshes().length).toBeGreaterThan(before);
    expect(refused()).toEqual([]);
  });

  it('is renewed by only one process, whatever others need it at that moment', async () => {
    const processes = await Promise.all([1, 2, 3].map(() => opened()));
    const before = refreshes().length;
    const asked = processes.map(async ({ store, forge: api }) => {
      const credential = await credentialOf({ store, forge: api, log: createLog({ level: 'silent' }) }, person);
      return api.as(credential ?? { kind: 'anonymous' }).users.me();
    });
    expect((await Promise.all(asked)).map(({ login }) => login)).toEqual(['ada', 'ada', 'ada']);
    expect(refreshes().length - before).toBeLessThanOrEqual(3);
    expect(refused()).toEqual([]);
    await Promise.all(processes.map(({ end }) => end()));
  });

  it('is used while it is valid if the forge cannot renew it now', async () => {
    bellows.forge.faults.add({ on: /access_token/, trouble: { html: 503 }, times: 20 });
    expect(words(await type('ada', 'issue show acme/engine#2'))).toContain('Print results');
    bellows.forge.faults.clear();
  });

  it('keeps its refresh token if the forge returns no new one', async () => {
    const { store, forge: api, end } = await opened();
    const text = JSON.stringify({ access_token: 'a new one', token_type: 'bearer', expires_in: 3_600 });
    bellows.forge.faults.add({ on: /access_token/, trouble: { text, type: 'application/json' } });
    const before = await store.accounts.credential(person);
    const credential = await credentialOf({ store, forge: api, log: createLog({ level: 'silent' }) }, person);
    if (credential?.kind !== 'renewed' || before?.kind !== 'oauth') throw new Error('ada is linked by OAuth2');
    expect(await credential.token()).toBe('a new one');
    const after = await store.accounts.credential(person);
    expect(after).toMatchObject({ refresh: before.refresh });
    if (after?.kind === 'oauth') await store.renewals.put(person, after, before);
    await end();
  });

  it('that lives a minute is renewed once, not with every use', async () => {
    bellows.forge.world.state.site.accessSeconds = 60;
    const before = refreshes().length;
    for (let use = 0; use < 3; use += 1)
      expect(words(await type('ada', 'issue show acme/engine#2'))).toContain('Print results');
    expect(refreshes().length - before).toBe(1);
    bellows.forge.world.state.site.accessSeconds = 3_600;
  });

  it('makes its person link again if the forge refuses, and the command continues afterwards', async () => {
    const ada = bellows.slack.as('ada');
    bellows.forge.world.revokeGrants({ login: 'ada' });
    const answer = await type('ada', 'issue comment acme/website#1 After renewal');
    expect(answer.text).toContain('Your forge token no longer works. Link again and issue comment continues.');
    await bellows.slack.until(() =>
      ada.sees(ada.dm).some(({ text }) => text.includes('Your forge token for ada no longer works')),
    );
    await signIn('ada');
    await bellows.slack.until(() =>
      ada.sees('engine').find(({ text }) => text.includes('Commented on acme/website#1')),
    );
  });

  it('is not dropped because the application’s own secret is wrong', async () => {
    const [app] = bellows.forge.world.state.oauth.apps.values();
    if (!app) throw new Error('Bellows is registered');
    const { apps } = bellows.forge.world.state.oauth;
    apps.set(app.clientId, { ...app, secret: 'another one' });
    expect(words(await type('ada', 'issue show acme/engine#2'))).toContain('Print results');
    apps.set(app.clientId, app);
    expect(bellows.logged.join('')).toContain('does not accept FORGE_OAUTH_CLIENT_ID');
    expect(words(await type('ada', 'whoami'))).not.toContain('no longer works');
  });
});

describe('a token that several processes want to renew at once', () => {
  it('is renewed once, and each continues with what the first one stored', async () => {
    await age();
    const processes = await Promise.all([1, 2, 3].map(() => opened()));
    const log = createLog({ level: 'silent' });
    // each has read the old one before anyone renews it
    const held = await Promise.all(
      processes.map(({ store, forge: api }) => credentialOf({ store, forge: api, log }, person)),
    );
    const refusedBefore = refused().length;
    const before = refreshes().length;
    const tokens = await Promise.all(held.map((each) => (each?.kind === 'renewed' ? each.token() : '')));
    expect(refreshes().length - before).toBe(1);
    expect(refused()).toHaveLength(refusedBefore);
    expect(new Set(tokens).size).toBe(1);
    await Promise.all(processes.map(({ end }) => end()));
  });
});

describe('a token that the forge refuses before it expires', () => {
  /** The forge lost the token but not the consent, as after a change of its signing key. */
  function forgotten(): void {
    const { tokens } = bellows.forge.world.state;
    for (const [secret, { grant }] of tokens) if (grant !== undefined) tokens.delete(secret);
  }
  const asked = () => words({ blocks: bellows.slack.as('ada').sees(bellows.slack.as('ada').dm) });

  it('is renewed once, and the command is sent again: its person notices nothing', async () => {
    await type('ada', 'whoami');
    const unchanged = asked();
    forgotten();
    const before = refreshes().length;
    const sent = () => bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues/{index}/comments');
    bellows.forge.requests.clear();
    expect((await type('ada', 'issue comment acme/website#1 Sent again')).text).toContain('Commented');
    expect(sent().filter(({ status }) => status === 201)).toHaveLength(1);
    expect(refreshes().slice(before)).toMatchObject([{ status: 200 }]);
    expect(asked()).toBe(unchanged);
  });

  it('makes its person link again only if the renewal is refused too', async () => {
    bellows.forge.world.revokeGrants({ login: 'ada' });
    const before = refreshes().length;
    const answer = await type('ada', 'issue comment acme/website#1 After all');
    expect(answer.text).toContain('Link again and issue comment continues.');
    expect(refreshes().slice(before)).toMatchObject([{ status: 400 }]);
    await signIn('ada');
    await bellows.slack.until(() =>
      bellows.forge.world.issue('acme/website', 1)?.comments.some(({ body }) => body === 'After all'),
    );
  });

  it.each([503, 429, 404])('is not considered dead while the forge answers a renewal with %i', async (html) => {
    forgotten();
    bellows.forge.faults.add({ on: /access_token/, trouble: { html }, times: 20 });
    expect((await type('ada', 'issue comment acme/website#1 Later')).text).not.toContain('Link again');
    bellows.forge.faults.clear();
    expect((await type('ada', 'issue comment acme/website#1 Now')).text).toContain('Commented');
  });
});

/** What one more process would have. */
async function opened(now = Date.now): Promise<{ store: Store; forge: Forge; end(): Promise<unknown> }> {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys), now });
  const { oauth } = bellows.config.forge;
  const api = createForge({ url: bellows.forge.url, oauth: oauth && { ...oauth, redirectUri: 'http://127.0.0.1/' } });
  return { store, forge: api, end: () => Promise.all([api.close(), close(redis)]) };
}
