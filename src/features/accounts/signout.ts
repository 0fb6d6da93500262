import { command, neverRuled } from '../../chat/command.js';
import { observeSignOut, signedOutMessage, signOut } from './sign-out.js';

export const signout = command({
  name: 'signout',
  aliases: ['logout'],
  title: 'Sign out',
  summary: 'Unlink your account and delete your data',
  examples: ['signout'],
  fields: {},
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It ends the link of the person it acts for.',
  operations: [],
  account: 'none',
  approval: { policy: neverRuled, observe: observeSignOut },
  plan: () => [],
  run: signOut,
  reply: signedOutMessage,
});
