import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForge, OAuthRefusal } from '../../src/forge/index.js';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { talkTo, words } from '../commands/talk.js';
import { fresh, freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { Browser } from '../support/browser.js';
import { testKeys } from '../support/redis.js';
import { signingIn } from '../support/sign-in.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();

describe.skipIf(!live)(`signing in with ${nameOf(live)}`, () => {
  let bellows: Bellows;
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const login = fresh('erin');
  const password = fresh('secret');
  const { type } = talkTo(() => bellows);
  const { agree, consent, link, signIn } = signingIn(
    () => bellows,
    () => ({ url: server().url, password: () => password }),
  );

  beforeAll(async () => {
    const { root } = server().people;
    const account = { username: login, email: `${login}@example.org`, password, must_change_password: false };
    expect((await root.send('POST', '/admin/users', account)).status).toBe(201);
    bellows = await startBellows({
      real: { url: server().url, token: await tokenOf(root) },
      oauth: {
        async register(redirect) {
          const body = { name: fresh('Bellows'), redirect_uris: [redirect], confidential_client: true };
          const made = await root.api.users.createOAuthApp({ body });
          return { clientId: made.client_id, clientSecret: made.client_secret };
        },
      },
    });
  });
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  it('links after consent there and a number entered in Slack, and acts within the scopes', async () => {
    const at = await freshRepo(server());
    const { page, answer } = await signIn('grace', login);
    expect(page.text).toContain(`<dd>${login} on `);
    expect(words(answer)).toContain(`You’re linked as *${login}*`);
    expect(words(answer)).not.toContain('lacks');
    const said = await type('grace', `issue create ${at.owner}/${at.repo} By OAuth2`);
    const index = Number(/#(\d+)/.exec(words(said))?.[1]);
    const issue = await server().people.alice.api.issues.get({ ...at, index });
    expect(issue).toMatchObject({ title: 'By OAuth2', user: { login } });
    expect(words(await type('grace', 'whoami'))).toContain(login);
  });

  it('needs neither consent nor a number the second time', async () => {
    const browser = new Browser();
    const back = await consent(browser, await link('grace'), login);
    expect(back.status).not.toBe(200);
    expect((await agree(browser, back)).text).toContain('Already linked');
    expect((await type('grace', 'whoami')).text).toContain(login);
  });

  it('renews its tokens', async () => {
    const redis = connect(bellows.redisUrl);
    const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    const grace = { team: bellows.slack.teamId, user: 'U0GRACE001' };
    const held = await store.accounts.credential(grace);
    await close(redis);
    if (held?.kind !== 'oauth') throw new Error('grace signed in with the forge');
    const { oauth, url } = bellows.config.forge;
    const redirectUri = `${bellows.config.publicUrl}/oauth/callback`;
    const forge = createForge({ url, oauth: oauth && { ...oauth, redirectUri } });
    const renewed = await forge.oauth?.refresh(held.refresh ?? '');
    expect(renewed).toMatchObject({ refresh: expect.any(String), lifeMs: 3_600_000 });
    const api = forge.as({ kind: 'renewed', token: async () => renewed?.access ?? '' });
    expect(await api.users.me()).toMatchObject({ login });
    await expect(api.admin.listCron()).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(forge.oauth?.refresh('nonsense')).rejects.toMatchObject({ isOfProgram: false });
    await forge.close();
  });

  it('distinguishes a wrong application from a wrong code, so that doctor can', async () => {
    const { oauth, url } = bellows.config.forge;
    const redirectUri = `${bellows.config.publicUrl}/oauth/callback`;
    const tried = async (given: Readonly<Record<string, string>>) => {
      const settings = { clientId: oauth?.clientId ?? '', clientSecret: oauth?.clientSecret, redirectUri, ...given };
      const forge = createForge({ url, oauth: settings });
      const state = 'doctor';
      const verifier = (await forge.oauth?.verifier()) ?? '';
      const query = new URLSearchParams({ code: 'nobody-was-given-this', state });
      const error = await forge.oauth?.exchange(query, { state, verifier }).catch((refused: unknown) => refused);
      await forge.close();
      return error instanceof OAuthRefusal ? error.isOfProgram : error;
    };
    expect(await tried({})).toBe(false);
    expect(await tried({ clientSecret: 'wrong' })).toBe(true);
    expect(await tried({ clientId: 'c0ffee' })).toBe(true);
    expect(await tried({ redirectUri: 'https://elsewhere.example/oauth/callback' })).toBe(true);
    const forge = createForge({ url, oauth: { clientId: 'any', redirectUri } });
    expect((await forge.oauth?.provider())?.code_challenge_methods_supported).toContain('S256');
    await forge.close();
  });
});
