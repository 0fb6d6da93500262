import { createGrant, createTokens } from '@bellows/sandbox/forge/oauth/grants.js';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/browser.js';
import { forges } from './ask.js';
import { bareForge, type Exchange, password, recording, shapeDifference } from './replay.js';

const inputs = (page: string): readonly string[] =>
  [...page.matchAll(/<(?:input|button)[^>]* name="(\w+)"/g)].map(([, name = '']) => name);

describe('the sign-in of other applications, against recordings of real servers', () => {
  it.each([
    ['forgejo-11', 'forgejo-11.0.1'],
    ['forgejo-15', 'forgejo-15.0.3'],
  ] as const)('%s', async (flavor, name) => {
    const forge = await bareForge(flavor);
    forge.world.createUser({ login: 'alice', password, fullName: 'Alice' });
    forge.world.createOrg({ as: 'alice', login: 'acme' });
    const browser = new Browser();
    const ours = new Map<string, string>();
    // a longer name may start with a shorter one
    const names = () => [...ours].sort(([a], [b]) => b.length - a.length);
    const swapped = (text: string) => names().reduce((all, [recorded, mine]) => all.replaceAll(recorded, mine), text);
    const learn = (recorded: unknown, mine: unknown) => ours.set(String(recorded), String(mine));
    const found: string[] = [];

    async function say({ note, as_user: who, method, path, body }: Exchange) {
      const address = `${path.startsWith('/login') || path.startsWith('/.') ? forge.url : forge.apiUrl}${swapped(path)}`;
      if (note.includes('authorize') || note.includes('grant:')) {
        if (who !== null) await browser.send(`${forge.url}/user/login`, { user_name: 'alice', password });
        const { searchParams } = new URL(`${forge.url}${swapped(authorizePath)}`);
        const fields = ['client_id', 'state', 'scope', 'redirect_uri'];
        const form = Object.fromEntries(fields.map((each) => [each, searchParams.get(each) ?? '']));
        return browser.send(address, method === 'POST' ? { ...form, granted: 'true' } : undefined);
      }
      const bearer = /userinfo|API with/.test(note) ? { authorization: `Bearer ${swapped('oauth-access-token')}` } : {};
      const introspects = note.endsWith('introspect') ? basic(swapped(clientId), swapped('oauth-client-secret')) : {};
      const byPassword = who !== null && !('authorization' in bearer) ? basic(who, password) : {};
      const json = path.startsWith('/user');
      const {
        statusCode,
        headers,
        body: answer,
      } = await request(address, {
        method: method === 'GET' ? 'GET' : 'POST',
        headers: {
          ...byPassword,
          ...bearer,
          ...introspects,
          ...(body === null ? {} : { 'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded' }),
        },
        ...(body === null
          ? {}
          : { body: swapped(json ? JSON.stringify(body) : String(new URLSearchParams(Object(body)))) }),
      });
      return { status: statusCode, headers, text: await answer.text() };
    }

    const all = recording(`${name}-oauth`);
    const authorizePath = all.find(({ note }) => note.includes('authorize'))?.path ?? '';
    const clientId = new URLSearchParams(authorizePath.split('?')[1]).get('client_id') ?? '';
    const spentRefresh: string[] = [];
    for (const exchange of all) {
      const { note, status, answer: recorded, headers: real } = exchange;
      if (note.endsWith('used refresh token')) ours.set('oauth-refresh-token', spentRefresh[0] ?? '');
      const sent = await say(exchange);
      if (sent.status !== status) found.push(`${note}: ${status} became ${sent.status} ${sent.text.slice(0, 200)}`);
      const location = String(sent.headers['location'] ?? '');
      if (real['location'] !== undefined) {
        const code = new URL(location, forge.url).searchParams.get('code');
        const before = new URL(real['location'], forge.url).searchParams.get('code');
        if (before !== null) learn(before, code);
        else expect(location).toContain(real['location']);
      }
      if (note.includes(': consent page')) {
        expect(inputs(sent.text)).toEqual([
          'client_id',
          'state',
          'scope',
          'nonce',
          'redirect_uri',
          'granted',
          'granted',
        ]);
        continue;
      }
      if (recorded === null || real['location'] !== undefined) continue;
      const mine: unknown = JSON.parse(sent.text);
      found.push(...shapeDifference(recorded, mine).map((line) => `${note}: ${line}`));
      const [before, after] = [Object(recorded), Object(mine)];
      if ('error_description' in before) expect(after).toEqual(before);
      if (note === 'OAuth2 application') {
        learn(before.client_id, after.client_id);
        learn(before.client_secret, after.client_secret);
      }
      if ('access_token' in after) {
        learn('oauth-access-token', after.access_token);
        if (note === 'OAuth2 token') spentRefresh.push(after.refresh_token);
        learn('oauth-refresh-token', after.refresh_token);
      }
    }
    await forge.close();
    expect(found).toEqual([]);
  });
});

const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});

describe('what a Gitea does', () => {
  const start = forges();
  const redirectUri = 'http://bellows.example/oauth/callback';

  it('refuses a used code, an unknown redirect address and a form from elsewhere', async () => {
    const forge = await start();
    const app = forge.world.registerApp({
      as: 'ada',
      name: 'Bellows',
      redirectUris: [redirectUri],
      confidential: false,
    });
    const browser = new Browser();
    await browser.send(`${forge.url}/user/login`, { user_name: 'ada', password: forge.account('ada').password ?? '' });
    const asked = { client_id: app.clientId, redirect_uri: redirectUri, response_type: 'code', state: 's' };
    const page = (more: Readonly<Record<string, string>>) =>
      browser.send(`${forge.url}/login/oauth/authorize?${new URLSearchParams({ ...asked, ...more })}`);
    expect((await page({ redirect_uri: 'http://evil.example/' })).text).toContain('Unregistered Redirect URI');
    expect((await page({})).headers['location']).toContain('PKCE+is+required');
    const pkce = { code_challenge: 'abc', code_challenge_method: 'plain', scope: 'write:issue' };
    expect((await page(pkce)).status).toBe(200);
    const grant = {
      client_id: app.clientId,
      state: 's',
      redirect_uri: redirectUri,
      scope: 'write:issue',
      granted: 'true',
    };
    expect((await browser.send(`${forge.url}/login/oauth/grant`, { ...grant, state: 'other' })).status).toBe(400);
    const granted = await browser.send(`${forge.url}/login/oauth/grant`, grant);
    const code = new URL(String(granted.headers['location'])).searchParams.get('code') ?? '';
    const exchange = () =>
      browser.send(`${forge.url}/login/oauth/access_token`, {
        grant_type: 'authorization_code',
        client_id: app.clientId,
        code,
        code_verifier: 'abc',
        redirect_uri: redirectUri,
      });
    expect((await exchange()).status).toBe(200);
    expect((await exchange()).text).toContain('client is not authorized');
    expect((await page({ ...pkce, scope: 'write:admin' })).status).toBe(200);
    const wider = await browser.send(`${forge.url}/login/oauth/grant`, { ...grant, scope: 'write:admin' });
    expect(wider.headers['location']).toContain('a+grant+exists+with+different+scope');
  });

  it('ends an access token when it expires, and with its consent', async () => {
    let now = Date.parse('2026-11-15T12:00:00Z');
    const forge = await bareForge('gitea-1.28', () => now);
    const { state } = forge.world;
    const ada = forge.world.createUser({ login: 'ada', password });
    const app = forge.world.registerApp({
      as: 'ada',
      name: 'Bellows',
      redirectUris: [redirectUri],
      confidential: true,
    });
    const status = async (token: unknown) =>
      (await request(`${forge.apiUrl}/user`, { headers: { authorization: `Bearer ${token}` } })).statusCode;
    const grant = createGrant(state, app, ada, 'read:user');
    const { access_token: first } = createTokens(state, grant);
    expect(await status(first)).toBe(200);
    now += 3_601_000;
    expect(await status(first)).toBe(401);
    const { access_token: second } = createTokens(state, grant);
    expect(await status(second)).toBe(200);
    forge.world.revokeGrants({ login: 'ada' });
    expect(await status(second)).toBe(401);
    await forge.close();
  });
});
