import { randomBytes, randomUUID } from 'node:crypto';
import { createToken } from '../acts/people.js';
import type { Asked, Grant, OAuthApp } from '../state/oauth.js';
import type { User } from '../state/people.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';

const codeSeconds = 600;

export const random = (bytes = 32): string => randomBytes(bytes).toString('base64url');

export function registerApp(
  state: State,
  owner: User,
  what: Pick<OAuthApp, 'name' | 'redirectUris' | 'confidential'>,
): OAuthApp {
  const app: OAuthApp = {
    id: state.nextId('oauth app'),
    owner,
    ...what,
    clientId: randomUUID(),
    secret: `gto_${randomBytes(32).toString('hex')}`,
    created: state.now(),
  };
  state.oauth.apps.set(app.clientId, app);
  return app;
}

/** An exact match, ignoring a trailing slash and case. */
export function knowsRedirect(app: OAuthApp, address: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\/$/, '');
  return app.redirectUris.some((each) => plain(each) === plain(address));
}

export const grantOf = (state: State, app: OAuthApp, user: User): Grant | undefined =>
  [...state.oauth.grants].find((grant) => grant.app === app && grant.user === user);

export function createGrant(state: State, app: OAuthApp, user: User, scope: string): Grant {
  const grant: Grant = { id: state.nextId('grant'), app, user, scope, counter: 0 };
  state.oauth.grants.add(grant);
  return grant;
}

export function createCode(state: State, grant: Grant, { redirectUri, challenge, method }: Asked): string {
  const code = `gta_${random()}`;
  const expires = state.now() + codeSeconds;
  state.oauth.codes.set(code, { grant, redirectUri, challenge, method, expires });
  return code;
}

const general: readonly string[] = ['openid', 'profile', 'email', 'groups'];
const known =
  /^(all|public-only|(read|write):(activitypub|admin|misc|notification|organization|package|issue|repository|user))$/;

/** Without a scope, or with an unknown one, the forge grants full access. */
function scopesIn(scope: string): readonly string[] {
  const words = scope.split(' ').filter((word) => word !== '' && !general.includes(word));
  return words.length === 0 || words.some((word) => !known.test(word)) ? ['all'] : words;
}

/** A new pair; if the site says so, earlier refresh tokens stop working. */
export function createTokens(state: State, grant: Grant): Readonly<Record<string, unknown>> {
  const { site, oauth } = state;
  if (site.refreshOnce) grant.counter += 1;
  const seconds = site.accessSeconds;
  const { secret } = createToken(state, grant.user, `oauth ${grant.id}`, scopesIn(grant.scope), {
    secret: `${random()}.${random(60)}.${random(64)}`,
    expires: state.now() + seconds,
    grant: grant.id,
  });
  const refresh = `${random()}.${random(60)}.${random(64)}`;
  oauth.refreshTokens.set(refresh, { grant, counter: grant.counter });
  return {
    access_token: secret,
    token_type: 'bearer',
    expires_in: seconds,
    refresh_token: refresh,
    ...(grant.scope.split(' ').includes('openid') ? { id_token: `${random()}.${random(60)}.${random(64)}` } : {}),
  };
}

/** The person revoked it on their settings page: none of its tokens works any longer. */
export function revokeGrants(state: State, login: string): void {
  for (const grant of state.oauth.grants) {
    if (grant.user.login !== login) continue;
    state.oauth.grants.delete(grant);
    for (const [secret, token] of state.tokens) if (token.grant === grant.id) state.tokens.delete(secret);
  }
}

/** Forgejo since 15, and every current Gitea, checks the verifier on the first consent too. */
export const checksFirstVerifier = (state: State): boolean => !isForgejo(state.site) || isForgejo(state.site, 15);
