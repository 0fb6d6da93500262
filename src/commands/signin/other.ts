import { command } from '../../chat/command.js';
import { optional, secret, text } from '../../chat/fields/index.js';
import { inCode, wantedScopes } from '../../chat/scopes.js';
import { linkAccount, linkOperations, refuseIncomplete } from '../../domain/accounts/link.js';
import { linkedReply, withClosed } from '../../domain/accounts/save-link.js';
import { linkButton } from '../../view/elements.js';
import { md } from '../../view/text.js';

export const signinOther = command({
  name: 'signin other',
  title: 'Other ways to sign in',
  submit: 'Link account',
  summary: 'Link your forge account with a token or password',
  examples: ['signin other'],
  fields: {
    token: optional(secret({ label: 'Access token', hint: 'Recommended.' })),
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
  operations: linkOperations,
  account: 'none',
  form: 'only',
  hidden: true,
  resumes: true,
  plan: () => [],
  check: refuseIncomplete,
  intro: ({ role, forge }) => ({
    says: md`A token needs these scopes: ${inCode(wantedScopes(role))}.`,
    buttons: [linkButton('Create a token', forge.tokenPage)],
  }),
  run: async (args, context) => withClosed(await linkAccount(args, context), context),
  reply: (linked, _args, { forge }) => linkedReply(linked, forge),
});
