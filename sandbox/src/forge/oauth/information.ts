import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../http/answer.js';
import { forgejoOf } from '../state/site.js';
import type { State } from '../state/state.js';
import { formOf } from './token.js';

const noAuthorization: Answer = {
  status: 401,
  text: { type: 'text/plain; charset=utf-8', content: 'no valid authorization' },
};

/** Only Forgejo 11 writes the slash. */
const issuerOf = ({ site }: State): string => (forgejoOf(site) === 11 ? `${site.url}/` : site.url);

export function userinfo(state: State, { authorization }: IncomingHttpHeaders): Answer {
  const token = state.tokens.get(/^bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
  if (!token || token.grant === undefined) return noAuthorization;
  const { id, fullName, login, email, avatar } = token.user;
  const groups = [...state.teams.values()]
    .filter(({ members }) => members.has(token.user))
    .flatMap(({ org, name }) => [org.login, `${org.login}:${name.toLowerCase()}`]);
  const picture = `${state.site.url}/avatars/${avatar}`;
  return {
    status: 200,
    body: { sub: String(id), name: fullName || login, preferred_username: login, email, picture, groups },
  };
}

export function configuration(state: State) {
  const { url } = state.site;
  const at = (name: string) => `${url}/login/oauth/${name}`;
  return {
    issuer: issuerOf(state),
    authorization_endpoint: at('authorize'),
    token_endpoint: at('access_token'),
    jwks_uri: at('keys'),
    userinfo_endpoint: at('userinfo'),
    introspection_endpoint: at('introspect'),
    response_types_supported: ['code', 'id_token'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
    scopes_supported: ['openid', 'profile', 'email', 'groups'],
    claims_supported: ['aud', 'exp', 'iat', 'iss', 'sub', 'name', 'preferred_username', 'email', 'groups'],
    code_challenge_methods_supported: ['plain', 'S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
  };
}

/** Called by the application itself, with its secret in the Basic form. */
export function introspect(state: State, raw: string, headers: IncomingHttpHeaders): Answer {
  const basic = /^basic (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const [clientId = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
  if (state.oauth.apps.get(clientId)?.secret !== secret) return noAuthorization;
  const token = state.tokens.get(formOf(raw, headers).get('token') ?? '');
  const grant = [...state.oauth.grants].find(({ id }) => id === token?.grant);
  if (!grant) return { status: 200, body: { active: false } };
  const { scope, user, app } = grant;
  return {
    status: 200,
    body: {
      active: true,
      scope,
      username: user.login,
      iss: issuerOf(state),
      sub: String(user.id),
      aud: [app.clientId],
    },
  };
}
