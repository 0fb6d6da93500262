import type { Context } from '../../chat/context.js';
import { credentialOf } from '../../chat/credential.js';
import { isEveryday } from '../../chat/help.js';
import { inCode, scopesClosing, tokenButton } from '../../chat/scopes.js';
import type { TokenReach } from '../../forge/index.js';
import type { Account, Store } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { bold, type Mrkdwn, md } from '../../view/text.js';
import { beginInbox } from './first-inbox.js';

export interface Linked {
  readonly account: Account;
  readonly reach: TokenReach;
  /** The forge created no token for the password, so the password itself is stored. */
  readonly passwordKept: boolean;
}

type Link = Parameters<Store['accounts']['put']>[1];

/** From now on this person acts as this account and gets its notifications. */
export async function keepAccount(
  link: Omit<Link, 'scopes'>,
  { scopes }: TokenReach,
  context: Context,
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
