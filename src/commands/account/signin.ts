import { command } from '../../chat/command.js';
import { secret } from '../../chat/fields/index.js';
import { linkAccount, linkOperations } from '../../domain/accounts/link.js';
import { linkedReply, withClosed } from '../../domain/accounts/save-link.js';
import { signInIntro } from '../../domain/accounts/sign-in-intro.js';

export const signin = command({
  name: 'signin',
  aliases: ['login', 'link'],
  title: 'Link your account',
  submit: 'Link account',
  summary: 'Link your forge account so that commands run as you',
  examples: ['signin'],
  fields: { token: secret({ label: 'Access token', hint: 'Stored encrypted and never shown again.' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: linkOperations,
  account: 'none',
  form: 'only',
  resumes: true,
  plan: () => [],
  intro: signInIntro,
  run: async (args, context) => withClosed(await linkAccount(args, context), context),
  reply: (linked, _args, { forge }) => linkedReply(linked, forge),
});
