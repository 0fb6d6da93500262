import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { credentialOf } from '../../src/chat/credential.js';
import { createForge, type Forge } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { signingIn } from '../support/sign-in.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows, 15_000);
const { signIn } = signingIn(() => bellows);

/** A minute is less than the time before its end at which a token is renewed: every request renews. */
const forge = { flavour: 'forgejo-15', accessSeconds: 60 } as const;
const person = { team: 'T0SANDBOX1', user: 'U0ADA00001' };
const refreshes = () =>
  bellows.forge.world.state.oauth.exchanged.filter(({ grantType }) => grantType === 'refresh_token');
const refused = () => refreshes().filter(({ status }) => status !== 200);

beforeAll(async () => {
  bellows = await startBellows({ forge, oauth: {} });
  person.team = bellows.slack.teamId;
  await signIn('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('a token that is about to run out', () => {
  it('is renewed before it is used, each refresh token once', async () => {
    const before = refreshes().length;
    expect(words(await type('ada', 'issue show acme/engine#2'))).toContain('Print results');
    expect(refreshes().length).toBeGreaterThan(before);
    expect(refused()).toEqual([]);
  });

  it('is renewed by one process only, whoever else needs it at that moment', async () => {
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

  it('is used while it lasts when the forge cannot renew it now', async () => {
    bellows.forge.faults.add({ on: /access_token/, trouble: { html: 503 }, times: 20 });
    expect(words(await type('ada', 'issue show acme/engine#2'))).toContain('Print results');
    bellows.forge.faults.clear();
  });

  it('makes its person link again when the forge refuses, and the command goes on afterwards', async () => {
    const ada = bellows.slack.as('ada');
    bellows.forge.world.revokeGrants({ login: 'ada' });
    const answer = await type('ada', 'issue comment acme/website#1 After renewal');
    expect(answer.text).toContain('Your forge token no longer works. Link again and issue comment continues.');
    await bellows.slack.until(() =>
      ada.sees(ada.dm).some(({ text }) => text.includes('Your forge token for ada no longer works')),
    );
    await signIn('ada');
    await bellows.slack.until(
      () => ada.sees('engine').find(({ text }) => text.includes('Commented on acme/website#1')),
      15_000,
    );
  });

  it('is not thrown away because the program’s own secret is wrong', async () => {
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

/** What one more process would have. */
async function opened(): Promise<{ store: Store; forge: Forge; end(): Promise<unknown> }> {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const { oauth } = bellows.config.forge;
  const api = createForge({ url: bellows.forge.url, oauth: oauth && { ...oauth, redirectUri: 'http://127.0.0.1/' } });
  return { store, forge: api, end: () => Promise.all([api.close(), close(redis)]) };
}
