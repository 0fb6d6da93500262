import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { ApiError, type Credential } from '../../forge/index.js';
import type { Account } from '../../store/index.js';
import { ifTold, possible } from '../possible.js';
import { beginInbox } from './baseline.js';

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

type Usable = Exclude<Credential, { readonly kind: 'anonymous' }>;

export interface Linked {
  readonly account: Account;
  readonly missing: readonly string[];
  /** The forge made no token for the password, so the password itself is kept. */
  readonly passwordKept: boolean;
}

/** The account is who the forge says it is, never the login that was typed. */
export async function linkAccount(given: Given, context: Context): Promise<Linked> {
  const typed = credentialOf(given);
  const identity = await identify(typed, given, context);
  // A token was given with the scopes its person chose: only a password is exchanged.
  const made = given.token === undefined ? await exchanged(typed, identity.login, context) : undefined;
  const credential = made ?? typed;
  const scopes = await heldScopes(credential, context);
  const account = await context.store.accounts.put(context.person, {
    ...identity,
    credential,
    ...(scopes ? { scopes } : {}),
  });
  await beginInbox(credential, context);
  return { account, missing: scopes ? lacking(scopes) : [], passwordKept: given.token === undefined && !made };
}

function credentialOf({ token, login, password }: Given): Usable {
  if (token !== undefined) {
    // A server that cannot say whose token it is needs the login beside it.
    return login === undefined ? { kind: 'token', token } : { kind: 'basic', login, secret: token };
  }
  if (login !== undefined && password !== undefined) return { kind: 'basic', login, secret: password };
  throw incomplete();
}

const incomplete = () => new UserError('Give an access token, or a login and a password.', { field: 'token' });

export function refuseIncomplete({ token, login, password }: Readonly<Partial<Record<keyof Given, unknown>>>): void {
  if (token === undefined && (login === undefined || password === undefined)) throw incomplete();
}

const refusals: readonly string[] = ['forbidden', 'notFound', 'unauthorized'];

/** A password is used once and dropped where the server makes a token for it; people may sign in by e-mail, tokens are made by login. */
async function exchanged(credential: Usable, username: string, context: Context): Promise<Usable | undefined> {
  if (!(await context.forge.capabilities.has('users.createToken'))) return undefined;
  try {
    const name = `bellows-${context.person.team}-${context.person.user}-${context.now.getTime()}`;
    const { users } = context.forge.as(credential);
    const made = await users.createToken({ username, body: { name, scopes: [...wantedScopes] } });
    return { kind: 'token', token: made.sha1 };
  } catch (error) {
    // A token in the password's place may not make tokens; it is then used as it is.
    if (error instanceof ApiError && refusals.includes(error.kind)) return undefined;
    throw error;
  }
}

async function identify(credential: Usable, { token, login }: Given, context: Context) {
  const api = context.forge.as(credential);
  try {
    const me = await possible(api.users.me());
    if (me) return { login: me.login, forgeUserId: me.id, verified: true };
    if (login === undefined)
      throw new UserError('This forge cannot say whose token that is: write your login too.', { field: 'login' });
    await api.repos.listWatched({ username: login, query: { limit: 1 } });
    return { login, forgeUserId: null, verified: false };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === 'unauthorized') {
      throw new UserError(
        'The forge does not accept that. Check the token, or the login and password, and try again.',
        { cause: error },
      );
    }
    if (error.kind === 'forbidden' && token !== undefined && error.operation === 'users.me') {
      throw new UserError(
        'The token may not say whose it is: it needs the scope read:user, which write:user holds too. Make a new one on the forge under Settings, Applications, and sign in again.',
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
