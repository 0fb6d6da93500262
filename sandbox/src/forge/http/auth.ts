import type { IncomingHttpHeaders } from 'node:http';
import { findUser } from '../state/find.js';
import type { Token, User } from '../state/people.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { notFound, Refusal, refuse } from './answer.js';
import type { Caller } from './call.js';

/** The message of a 401; Forgejo since 15 repeats the given secret. */
function wrong({ site }: State, name: string, secret: string, user?: User): Refusal {
  const person =
    user === undefined
      ? `user does not exist [uid: 0, name: ${name}]`
      : `user's password is invalid [uid: ${user.id}, name: ${user.login}]`;
  if (!isForgejo(site)) return refuse(401, 'invalid username, password or token');
  if (!isForgejo(site, 15)) return refuse(401, person);
  const token = `access token does not exist [sha: ${secret}]`;
  if (name === '') return refuse(401, token);
  if (user === undefined) return refuse(401, person);
  const causes = ['token is malformed: token contains an invalid number of segments', person, token];
  return refuse(401, [...causes, `task with token "${secret}": resource does not exist`].join('\n'));
}

const nobody: Caller = { user: undefined, via: 'nothing', token: undefined };

/** An expired one counts as none. */
function tokenIn(state: State, secret: string): Token | undefined {
  const token = state.tokens.get(secret);
  return token?.expires !== undefined && token.expires <= state.now() ? undefined : token;
}

const withToken = (token: Token, via: Caller['via']): Caller => ({ user: token.user, via, token });

/** A token identifies itself: the name beside it is ignored. */
function fromBasic(state: State, encoded: string): Caller {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon);
  const password = colon < 0 ? '' : text.slice(colon + 1);
  const isMarker = password === '' || password === 'x-oauth-basic';
  const token = tokenIn(state, isMarker ? name : password);
  if (token !== undefined) return withToken(token, 'basic');
  const user =
    findUser(state, name) ?? [...state.users.values()].find((each) => each.email !== '' && each.email === name);
  if (user?.password === undefined || user.password !== password) throw wrong(state, name, password, user);
  return { user, via: 'basic', token: undefined };
}

function signIn(state: State, header: string): Caller {
  const [, scheme = '', value = ''] = /^(\S+)\s+(.*)$/.exec(header) ?? [];
  if (/^basic$/i.test(scheme)) return fromBasic(state, value);
  // The API document only knows the Basic form.
  if (state.site.flavor === 'document') throw wrong(state, '', value);
  const token = /^(token|bearer)$/i.test(scheme) ? tokenIn(state, value) : undefined;
  if (token === undefined) throw wrong(state, '', value);
  return withToken(token, 'header');
}

function mustBeAllowed(user: User): void {
  const unusable = (message: string) => new Refusal(403, message, { kind: 'bare' });
  if (!user.active) throw unusable('This account is not activated.');
  if (user.prohibitLogin)
    throw unusable('This account is prohibited from signing in, please contact your site administrator.');
}

/** The caller; with Sudo, the person they act as. A token keeps its own scopes. */
export function authenticate(state: State, headers: IncomingHttpHeaders, sudoQuery: string | undefined): Caller {
  const caller = headers.authorization === undefined ? nobody : signIn(state, headers.authorization);
  if (caller.user !== undefined) mustBeAllowed(caller.user);
  const header = headers['sudo'];
  const sudo = (typeof header === 'string' ? header : undefined) ?? sudoQuery;
  if (sudo === undefined || caller.user === undefined) return caller;
  if (!caller.user.admin) throw new Refusal(403, 'Only administrators allowed to sudo.', { kind: 'bare' });
  const user = findUser(state, sudo);
  if (user === undefined)
    throw notFound(isForgejo(state.site) ? undefined : `user does not exist [uid: 0, name: ${sudo}]`);
  return { ...caller, user };
}
