import { command } from '../../chat/command.js';
import { optional, secret, text } from '../../chat/fields/index.js';
import { inCode, scopesClosing, tokenButton } from '../../chat/scopes.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, code, link, md } from '../../view/text.js';
import { linkAccount, refuseIncomplete, wantedScopes } from './link.js';

export const signin = command({
  name: 'signin',
  aliases: ['login', 'link'],
  title: 'Link your account',
  submit: 'Link account',
  summary: 'Link your forge account so that commands run as you',
  examples: ['signin'],
  fields: {
    token: optional(
      secret({
        label: 'Access token',
        hint: 'Recommended.',
      }),
    ),
    login: optional(text({ label: 'Login', hint: 'Only if you use a password.' })),
    password: optional(
      secret({
        label: 'Password',
        hint: 'Use this instead of a token. Bellows uses it once to create one; only where the forge does not allow that is it stored, encrypted.',
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
    md`Create an access token in ${link(forge.tokenPage, 'your token settings')} with these scopes: ${inCode(wantedScopes(role))}.${role === 'admin' ? md` The last one is for admin commands.` : md``}`,
  run: async (args, context) => {
    const linked = await linkAccount(args, context);
    return { ...linked, closed: await scopesClosing(linked.reach, context) };
  },
  reply: ({ account, closed, passwordKept }, _args, { forge }) =>
    message({
      blocks: doneCard({
        says: account.verified
          ? md`You’re linked as ${bold(account.login)}. Commands now run with your account.`
          : md`You’re linked as ${bold(account.login)}. The forge could not confirm this account, so you cannot approve other people’s requests.`,
        but: [
          ...closed.map(
            ([scope, names]) => md`Your token lacks ${code(scope)}, so these commands won’t work: ${inCode(names)}.`,
          ),
          ...(passwordKept
            ? [
                md`The forge could not create a token, so your password is stored encrypted until you sign out. A token is safer.`,
              ]
            : []),
        ],
        buttons: [closed.length === 0 ? undefined : tokenButton(forge)],
      }),
    }),
});
