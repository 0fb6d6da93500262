import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../http/answer.js';
import type { Code, Grant, OAuthApp } from '../state/oauth.js';
import type { State } from '../state/state.js';
import { checksFirstVerifier, createTokens, knowsRedirect } from './grants.js';

class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

const unauthorized = (why: string) => new TokenRefusal('unauthorized_client', why);

type Form = ReadonlyMap<string, string>;

/** A form or JSON, whichever was sent. */
export function formOf(raw: string, headers: IncomingHttpHeaders): Form {
  if (!String(headers['content-type'] ?? '').includes('json')) return new Map(new URLSearchParams(raw));
  const read: unknown = JSON.parse(raw === '' ? '{}' : raw);
  return new Map(Object.entries(Object(read)).map(([name, value]) => [name, String(value)]));
}

export function tokenEndpoint(state: State, raw: string, headers: IncomingHttpHeaders): Answer {
  const form = formOf(raw, headers);
  const grantType = form.get('grant_type') ?? '';
  try {
    const body = grantType === 'refresh_token' ? refreshed(state, form) : exchanged(state, grantType, form);
    state.oauth.exchanged.push({ grantType, status: 200 });
    return { status: 200, body };
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    state.oauth.exchanged.push({ grantType, status: 400, error: error.message });
    return { status: 400, body: { error: error.code, error_description: error.message } };
  }
}

function appOf(state: State, form: Form, wrongSecret: string): OAuthApp {
  const id = form.get('client_id') ?? '';
  const app = state.oauth.apps.get(id);
  if (app === undefined) throw new TokenRefusal('invalid_client', `cannot load client with client id: '${id}'`);
  const secret = form.get('client_secret') ?? '';
  if (app.confidential && secret !== app.secret)
    throw new TokenRefusal(wrongSecret, secret === '' ? 'invalid empty client secret' : 'invalid client secret');
  return app;
}

function refreshed(state: State, form: Form) {
  appOf(state, form, 'invalid_client');
  const found = state.oauth.refreshTokens.get(form.get('refresh_token') ?? '');
  if (found === undefined) throw unauthorized('unable to parse refresh token');
  if (!state.oauth.grants.has(found.grant)) throw new TokenRefusal('invalid_grant', 'grant does not exist');
  if (state.site.refreshOnce && found.counter !== found.grant.counter) throw unauthorized('token was already used');
  return createTokens(state, found.grant);
}

function exchanged(state: State, grantType: string, form: Form) {
  if (grantType !== 'authorization_code')
    throw new TokenRefusal(
      'unsupported_grant_type',
      'Only refresh_token or authorization_code grant type is supported',
    );
  const app = appOf(state, form, 'unauthorized_client');
  const redirect = form.get('redirect_uri') ?? '';
  if (redirect !== '' && !knowsRedirect(app, redirect)) throw unauthorized('unexpected redirect URI');
  const code = state.oauth.codes.get(form.get('code') ?? '');
  if (code === undefined) throw unauthorized('client is not authorized');
  if (code.expires <= state.now()) throw new TokenRefusal('invalid_grant', 'authorization code expired');
  if (!isVerified(state, code, form.get('code_verifier') ?? '')) throw unauthorized('failed PKCE code challenge');
  if (code.grant.app !== app) throw new TokenRefusal('invalid_grant', 'invalid grant');
  // a code can be exchanged once
  state.oauth.codes.delete(form.get('code') ?? '');
  return createTokens(state, code.grant);
}

function isVerified(state: State, code: Code, verifier: string): boolean {
  if (code.challenge === '' || (isFirst(code.grant) && !checksFirstVerifier(state))) return true;
  const given = code.method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  return given === code.challenge;
}

const isFirst = ({ counter }: Grant): boolean => counter === 0;
