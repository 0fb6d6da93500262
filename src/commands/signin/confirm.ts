import { command } from '../../chat/command.js';
import { secret } from '../../chat/fields/index.js';
import { confirmedMessage, confirmSignIn, offeredAccount } from '../../domain/accounts/confirm-sign-in.js';

export const signinConfirm = command({
  name: 'signin confirm',
  title: 'Link your account',
  submit: 'Link account',
  summary: 'Confirm the forge account you signed in with',
  examples: ['signin confirm'],
  fields: { number: secret({ label: 'Number shown in your browser', hint: 'Six digits.' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['users.currentToken', 'notifications.list', 'issues.search'],
  account: 'none',
  form: 'only',
  hidden: true,
  resumes: true,
  plan: () => [],
  intro: offeredAccount,
  run: confirmSignIn,
  reply: confirmedMessage,
});
