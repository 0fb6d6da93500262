import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { ApiError, type Credential } from '../../forge/index.js';
import type { Account } from '../../store/index.js';
import { ifTold, possible } from '../possible.js';

/** What a person's token should be able to do; without admin on purpose. */
export const wantedScopes = [
  'write:repository',
  'write:issue',
  'write:notification',
  'write:user',
  'write:organization',
  'read:package',
] as const;

interface Given {
  readonly token?: string;
  readonly login?: string;
  readonly password?: string;
}

export interface Linked {
  readonly account: Account;
  readonly missing: readonly string[];
}

/** The account is who the forge says it is, never the login that was typed. */
export async function linkAccount(given: Given, context: Context): Promise<Linked> {
  // A token was given with the scopes its person chose: only a password is exchanged.
  const credential = given.token === undefined ? await exchanged(credentialOf(given), context) : credentialOf(given);
  const identity = await identify(credential, given.login, context);
  const scopes = await heldScopes(credential, context);
  const stored = credential.kind === 'anonymous' ? undefined : credential;
  if (!stored) throw new UserError('Give a token, or a login and a password.');
  const account = await context.store.accounts.put(context.person, {
    ...identity,
    credential: stored,
    ...(scopes ? { scopes } : {}),
  });
  return { account, missing: scopes ? lacking(scopes) : [] };
}

function credentialOf({ token, login, password }: Given): Credential {
  if (token !== undefined) {
    // A server that cannot say whose token it is needs the login beside it.
    return login === undefined ? { kind: 'token', token } : { kind: 'basic', login, secret: token };
  }
  if (login !== undefined && password !== undefined) return { kind: 'basic', login, secret: password };
  throw new UserError('Give an access token, or a login and a password.', { field: 'token' });
}

/** A password is used once and dropped where the server makes a token for it. */
async function exchanged(credential: Credential, context: Context): Promise<Credential> {
  if (credential.kind !== 'basic' || !(await context.forge.capabilities.has('users.createToken'))) return credential;
  const api = context.forge.as(credential);
  try {
    const name = `bellows-${context.person.team}-${context.person.user}-${context.now.getTime()}`;
    const made = await api.users.createToken({ username: credential.login, body: { name, scopes: [...wantedScopes] } });
    return { kind: 'token', token: made.sha1 };
  } catch (error) {
    // A token in the password's place may not make tokens; it is then used as it is.
    if (
      error instanceof ApiError &&
      (error.kind === 'forbidden' || error.kind === 'notFound' || error.kind === 'unauthorized')
    ) {
      return credential;
    }
    throw error;
  }
}

async function identify(credential: Credential, login: string | undefined, context: Context) {
  const api = context.forge.as(credential);
  try {
    const me = await possible(api.users.me());
    if (me) return { login: me.login, forgeUserId: me.id, verified: true };
    if (login === undefined)
      throw new UserError('This forge cannot say whose token that is: write your login too.', { field: 'login' });
    await api.repos.listWatched({ username: login, query: { limit: 1 } });
    return { login, forgeUserId: null, verified: false };
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') {
      throw new UserError(
        'The forge does not accept that. Check the token, or the login and password, and try again.',
        { cause: error },
      );
    }
    throw error;
  }
}

const heldScopes = async (credential: Credential, context: Context): Promise<readonly string[] | undefined> =>
  (await ifTold(context.forge.as(credential).users.currentToken()))?.scopes;

function lacking(held: readonly string[]): string[] {
  if (held.includes('all')) return [];
  return wantedScopes.filter((scope) => !held.includes(scope) && !held.includes(scope.replace('read:', 'write:')));
}
