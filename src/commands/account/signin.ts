import { command } from '../../chat/command.js';
import { optional, secret, text } from '../../chat/fields/index.js';
import { inCode, scopesClosing, tokenButton } from '../../chat/scopes.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { linkAccount, refuseIncomplete, wantedScopes } from './link.js';

export const signin = command({
  name: 'signin',
  title: 'Link your account',
  submit: 'Link account',
  summary: 'Link your forge account by a form, so that Bellows acts as you; words typed after it are not read',
  examples: ['signin'],
  fields: {
    token: optional(
      secret({
        label: 'Access token',
        hint: 'Recommended.',
      }),
    ),
    login: optional(
      text({ label: 'Login', hint: 'Only where you use a password, or the forge cannot say whose token it is.' }),
    ),
    password: optional(
      secret({
        label: 'Password',
        hint: 'In place of a token: used once to make one, then dropped. A forge that makes none has the password kept, sealed.',
      }),
    ),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [
    'users.me',
    'users.createToken',
    'users.currentToken',
    'repos.listWatched',
    'notifications.list',
    'issues.search',
  ],
  account: 'none',
  form: 'only',
  resumes: true,
  plan: () => [],
  check: refuseIncomplete,
  intro: ({ role, forge }) =>
    md`Create an access token in ${link(forge.tokenPage, 'your token settings')} with these scopes: ${inCode(wantedScopes(role))}.${role === 'admin' ? ' The last one is for admin commands.' : ''}`,
  run: async (args, context) => {
    const linked = await linkAccount(args, context);
    return { ...linked, closed: await scopesClosing(linked.reach, context) };
  },
  reply: ({ account, closed, passwordKept }, _args, { forge }) =>
    message({
      blocks: doneCard({
        says: account.verified
          ? md`Linked to ${code(account.login)}. What you ask here is done as that account.`
          : md`Linked as ${code(account.login)}. The forge could not confirm who that is: Bellows acts with it, but you cannot approve for others.`,
        but: [
          ...closed.map(
            ([scope, names]) => md`Your token lacks ${code(scope)}, so these commands won’t work: ${inCode(names)}.`,
          ),
          ...(passwordKept
            ? [
                md`The forge made no token for the password, so the password itself is kept, sealed, until you sign out. A token given in its place is safer.`,
              ]
            : []),
        ],
        buttons: [closed.length === 0 ? undefined : tokenButton(forge)],
      }),
    }),
});
