import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { createGrant, createTokens } from '@bellows/sandbox/forge/oauth/grants.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createForge, type Forge, OAuthRefusal } from '../../src/forge/index.js';

let sandbox: SandboxForge;
let forge: Forge;
const redirectUri = 'https://bellows.example/oauth/callback';

beforeAll(async () => {
  sandbox = await startForge({ flavor: 'forgejo-15' });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.faults.clear();
});
afterEach(() => forge.close());

/** Bellows as it is registered, and a refresh token that grace's consent gave it. */
function registered({ confidential = true, secret = '' } = {}) {
  const { world } = sandbox;
  const app = world.registerApp({ as: 'ada', name: 'Bellows', redirectUris: [redirectUri], confidential });
  const grace = world.user('grace');
  if (!grace) throw new Error('grace has an account');
  const { refresh_token: refresh } = createTokens(world.state, createGrant(world.state, app, grace, 'write:user'));
  const clientSecret = confidential ? secret || app.secret : undefined;
  forge = createForge({ url: sandbox.url, oauth: { clientId: app.clientId, clientSecret, redirectUri } });
  if (!forge.oauth) throw new Error('Bellows is registered');
  return { oauth: forge.oauth, refresh: String(refresh) };
}

describe('a renewal', () => {
  it.each([true, false])('gives new tokens to an application, with a secret: %s', async (confidential) => {
    const { oauth, refresh } = registered({ confidential });
    sandbox.world.state.site.accessSeconds = 900;
    const next = await oauth.refresh(refresh);
    expect(next).toMatchObject({ lifeMs: 900_000, access: expect.any(String), refresh: expect.any(String) });
    expect(next.refresh).not.toBe(refresh);
    const me = await forge.as({ kind: 'renewed', token: async () => next.access }).users.me();
    expect(me.login).toBe('grace');
    // a refresh token works once
    await expect(oauth.refresh(refresh)).rejects.toMatchObject({ name: 'OAuthRefusal', isOfProgram: false });
  });

  it('is refused as the application’s own fault with a wrong secret', async () => {
    const { oauth, refresh } = registered({ secret: 'wrong' });
    await expect(oauth.refresh(refresh)).rejects.toMatchObject({ name: 'OAuthRefusal', isOfProgram: true });
  });

  it.each([500, 429, 404])('is undecided if the forge answers with %i', async (html) => {
    const { oauth, refresh } = registered();
    sandbox.faults.add({ on: /access_token/, trouble: { html } });
    const undecided = { name: 'ApiError', kind: 'unavailable', status: html, operation: 'oauth.token' };
    await expect(oauth.refresh(refresh)).rejects.toMatchObject(undecided);
  });

  it('tells nothing of an answer that is none', async () => {
    const { oauth, refresh } = registered();
    for (const [text, status, type] of [
      ['a page', 200, 'text/html'],
      ['{"access_token":"secret"}', 200, 'application/json'],
      ['{"error":"', 400, 'application/json'],
    ] as const) {
      sandbox.faults.add({ on: /access_token/, trouble: { text, status, type } });
      const error = await oauth.refresh(refresh).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'OAuthRefusal', code: 'unexpected_answer' });
      expect(String(error)).not.toContain('secret');
    }
  });

  it('is refused without a description if the forge gives none', async () => {
    const { oauth, refresh } = registered();
    const trouble = { text: '{"error":"invalid_grant"}', status: 400, type: 'application/json' };
    sandbox.faults.add({ on: /access_token/, trouble });
    await expect(oauth.refresh(refresh)).rejects.toMatchObject({ code: 'invalid_grant', description: '' });
  });
});

describe('a refusal', () => {
  it('has short words, whatever the forge sent', () => {
    const refusal = new OAuthRefusal('c'.repeat(400), 'd'.repeat(400));
    expect(refusal.code).toHaveLength(60);
    expect(refusal.description).toHaveLength(240);
    expect(refusal.message).toHaveLength(300);
    expect(new OAuthRefusal('access_denied', 'no').message).toBe('access_denied: no');
  });

  it.each([
    ['invalid_client', '', true],
    ['unauthorized_client', 'invalid client secret', true],
    ['unauthorized_client', 'cannot load client with Client ID: x', true],
    ['unauthorized_client', 'unexpected redirect URI', true],
    ['invalid_grant', 'token was already used', false],
  ])('%s “%s” is the application’s own fault: %s', (code, description, isOfProgram) => {
    expect(new OAuthRefusal(code, description).isOfProgram).toBe(isOfProgram);
  });
});

describe('what the forge says about its sign-in', () => {
  const open = () => registered().oauth.provider();

  it('is its own metadata', async () => {
    expect(await open()).toEqual({
      authorization_endpoint: `${sandbox.url}/login/oauth/authorize`,
      code_challenge_methods_supported: ['plain', 'S256'],
    });
  });

  it('may lack the ways it knows', async () => {
    const text = JSON.stringify({ authorization_endpoint: 'https://forge.example/login' });
    sandbox.faults.add({ on: /openid-configuration/, trouble: { text, type: 'application/json' } });
    expect(await open()).toMatchObject({ code_challenge_methods_supported: [] });
  });

  it.each([
    ['another answer', { text: '{"authorization_endpoint":"x"}', type: 'application/json' }],
    ['a page', { text: 'Not here', status: 404 }],
  ])('is nothing if it is %s', async (_, trouble) => {
    sandbox.faults.add({ on: /openid-configuration/, trouble });
    expect(await open()).toBeUndefined();
  });
});
