import type { Context } from '../../chat/context.js';
import { wantedScopes } from '../../chat/scopes.js';
import { UserError } from '../../errors.js';
import { ApiError, type Credential, type OperationName, type TokenReach, tokenReach } from '../../forge/index.js';
import { possible } from '../../forge/possible.js';
import { keepAccount, type Linked } from './save-link.js';

/** The operations of every way to link. */
export const linkOperations = [
  'users.me',
  'users.createToken',
  'users.currentToken',
  'repos.listWatched',
  'notifications.list',
  'issues.search',
] as const satisfies readonly OperationName[];

interface Given {
  readonly token?: string;
  readonly login?: string;
  readonly password?: string;
}

type Usable = Extract<Credential, { readonly kind: 'token' | 'basic' }>;

/** The account is what the forge reports, never the login that was typed. */
export async function linkAccount(given: Given, context: Context): Promise<Linked> {
  const typed = credentialOf(given);
  const { admin, ...identity } = await identify(typed, given, context);
  const scopes = wantedScopes(admin ? context.role : 'everyone');
  // A token keeps the scopes its person chose: only a password is exchanged.
  const made = given.token === undefined ? await exchanged(typed, identity.login, scopes, context) : undefined;
  const credential = made?.credential ?? typed;
  const reach = made?.reach ?? (await tokenReach(context.forge.as(credential), identity.login));
  const account = await keepAccount({ ...identity, credential }, reach, context);
  return { account, reach, passwordKept: given.token === undefined && !made };
}

function credentialOf({ token, login, password }: Given): Usable {
  if (token !== undefined) {
    // A server that cannot say whose token it is needs the login too.
    return login === undefined ? { kind: 'token', token } : { kind: 'basic', login, secret: token };
  }
  if (login !== undefined && password !== undefined) return { kind: 'basic', login, secret: password };
  throw incomplete();
}

const incomplete = () => new UserError('Enter an access token, or a login and password.', { field: 'token' });

export function refuseIncomplete({ token, login, password }: Readonly<Partial<Record<keyof Given, unknown>>>): void {
  if (token === undefined && (login === undefined || password === undefined)) throw incomplete();
}

const refusals: readonly string[] = ['forbidden', 'notFound', 'unauthorized'];

/** A password is dropped once the server creates a token for it; people may sign in by email, tokens need the login. */
async function exchanged(
  credential: Usable,
  username: string,
  scopes: readonly string[],
  context: Context,
): Promise<{ readonly credential: Usable; readonly reach: TokenReach } | undefined> {
  if (!(await context.forge.capabilities.has('users.createToken'))) return undefined;
  try {
    const name = `bellows-${context.person.team}-${context.person.user}-${context.now.getTime()}`;
    const { users } = context.forge.as(credential);
    const made = await users.createToken({ username, body: { name, scopes: [...scopes] } });
    return {
      credential: { kind: 'token', token: made.sha1 },
      reach: { scopes: made.scopes.length > 0 ? made.scopes : scopes, closed: [] },
    };
  } catch (error) {
    // A token used as the password cannot create tokens; it is used as is.
    if (error instanceof ApiError && refusals.includes(error.kind)) return undefined;
    throw error;
  }
}

async function identify(credential: Usable, { token, login }: Given, context: Context) {
  const api = context.forge.as(credential);
  try {
    const me = await possible(api.users.me());
    if (me) return { login: me.login, forgeUserId: me.id, verified: true, admin: me.is_admin };
    if (login === undefined)
      throw new UserError(
        'This forge does not reveal whose token this is. Choose Other ways in the sign-in form and enter your login too.',
        { field: 'login' },
      );
    await api.repos.listWatched({ username: login, query: { limit: 1 } });
    return { login, forgeUserId: null, verified: false, admin: false };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === 'unauthorized') {
      const what = token === undefined ? 'login and password' : 'token';
      throw new UserError(`The forge rejected this. Check the ${what} and try again.`, { cause: error });
    }
    if (error.kind === 'forbidden' && token !== undefined && error.operation === 'users.me') {
      throw new UserError(
        'This token cannot read your account: it needs the scope read:user. Create a new one on the forge under Settings, Applications, and link again.',
        { cause: error },
      );
    }
    throw error;
  }
}
