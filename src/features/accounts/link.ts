import type { Context } from '../../chat/context.js';
import { credentialOf } from '../../chat/credential.js';
import { isEveryday } from '../../chat/help.js';
import { inCode, scopesClosing, tokenButton, wantedScopes } from '../../chat/scopes.js';
import { UserError } from '../../errors.js';
import { type FeedMark, storedMark } from '../../feed/mark.js';
import { pollSource } from '../../feed/sources/poll.js';
import { sourceKey } from '../../feed/sources/source.js';
import {
  ApiError,
  type Credential,
  newTokenReach,
  type OperationName,
  reachOperations,
  type TokenReach,
} from '../../forge/index.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { Account, Store } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { bold, type Mrkdwn, md } from '../../view/text.js';
import { openedSoon } from '../subscriptions/save.js';

const mostPages = 2;

/** What is unread now is old; only what comes later is news. */
async function beginInbox(credential: Credential, context: Linking): Promise<void> {
  const { marks, sources } = context.store;
  const key = sourceKey({ kind: 'inbox', ...context.person });
  const opened = await openedSoon(key, context.store);
  if (opened) {
    const mark = opened.mark ? undefined : await ifAnswered(present(key, credential, context));
    if (mark) await marks.commit(key, opened.token, storedMark(mark), []);
    await marks.lease(key).release(opened.token);
  }
  await sources.ensure(key, { owner: '-' });
}

async function present(key: string, credential: Credential, context: Linking): Promise<FeedMark> {
  const { forge, log, person, now } = context;
  const { mark } = await pollSource(forge.as(credential), {
    source: { kind: 'inbox', ...person },
    about: { owner: '-' },
    mark: undefined,
    now: now.getTime(),
    listed: await forge.capabilities.has('notifications.list'),
    cap: mostPages,
    onUnreadable: (why) => log.warn({ source: key, why }, 'a notification has an unknown shape'),
  });
  return mark;
}

export interface Linked {
  readonly account: Account;
  readonly reach: TokenReach;
  /** The forge created no token for the password, so the password itself is stored. */
  readonly passwordKept: boolean;
}

type Link = Parameters<Store['accounts']['put']>[1];
type Linking = Pick<Context, 'store' | 'forge' | 'person' | 'role' | 'now' | 'log'>;

/** From now on this person acts as this account and gets its notifications. */
export async function keepAccount(
  link: Omit<Link, 'scopes'>,
  { scopes }: TokenReach,
  context: Linking,
): Promise<Account> {
  const account = await context.store.accounts.put(context.person, { ...link, ...(scopes ? { scopes } : {}) });
  const credential = await credentialOf(context, context.person);
  if (credential) await beginInbox(credential, context);
  return account;
}

type Closed = Awaited<ReturnType<typeof scopesClosing>>;

export const withClosed = async (linked: Linked, context: Context): Promise<Linked & { readonly closed: Closed }> => ({
  ...linked,
  closed: await scopesClosing(linked.reach, context),
});

const fewCommands = 4;

/** One sentence with the commands people miss first; a refused command names its own scope. */
function lackedBy(closed: Closed): Mrkdwn {
  const names = [...new Set(closed.flatMap(([, each]) => each))];
  const few = [...names.filter(isEveryday), ...names.filter((name) => !isEveryday(name))].slice(0, fewCommands);
  const others = names.length > few.length ? md` and others` : md``;
  return md`Your token lacks ${inCode(closed.map(([scope]) => scope))}, so ${inCode(few)}${others} won’t work.`;
}

/** Who they are now, and what their token lacks. */
export function linkedReply(
  { account, closed, passwordKept }: Linked & { readonly closed: Closed },
  forge: Context['forge'],
  remedy?: Mrkdwn,
): Message {
  const lacking = closed.length === 0 ? [] : [lackedBy(closed)];
  return message({
    blocks: doneCard({
      says: account.verified
        ? md`You’re linked as ${bold(account.login)}. Commands now run with your account.`
        : md`You’re linked as ${bold(account.login)}. The forge could not confirm this account, so you cannot request approval or approve requests.`,
      but: [
        ...lacking,
        ...(lacking.length > 0 && remedy ? [remedy] : []),
        ...(passwordKept
          ? [
              md`The forge could not create a token, so your password is stored encrypted until you sign out. A token is safer.`,
            ]
          : []),
      ],
      buttons: [closed.length === 0 ? undefined : tokenButton(forge)],
    }),
  });
}

/** The operations of every way to link. */
export const linkOperations = [
  'users.me',
  'users.createToken',
  'repos.listWatched',
  ...reachOperations,
] as const satisfies readonly OperationName[];

interface Given {
  readonly token?: string;
  readonly login?: string;
  readonly password?: string;
}

type Usable = Extract<Credential, { readonly kind: 'token' | 'basic' }>;

/** The account is what the forge reports, never the login that was typed. */
export async function linkAccount(given: Given, context: Linking): Promise<Linked> {
  const typed = readCredential(given);
  const { admin, ...identity } = await identify(typed, given, context);
  const scopes = wantedScopes(admin ? context.role : 'everyone');
  // A token keeps the scopes its person chose: only a password is exchanged.
  const made = given.token === undefined ? await exchangeCredential(typed, identity.login, scopes, context) : undefined;
  const credential = made?.credential ?? typed;
  const reach = made?.reach ?? (await newTokenReach(context.forge.as(credential), identity.login));
  const account = await keepAccount({ ...identity, credential }, reach, context);
  return { account, reach, passwordKept: given.token === undefined && !made };
}

function readCredential({ token, login, password }: Given): Usable {
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
async function exchangeCredential(
  credential: Usable,
  username: string,
  scopes: readonly string[],
  context: Linking,
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

async function identify(credential: Usable, { token, login }: Given, context: Linking) {
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
