import { command } from '../../chat/command.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';

export const signout = command({
  name: 'signout',
  summary: 'Forget your linked account and everything kept about you',
  examples: ['signout'],
  fields: {},
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [],
  account: 'none',
  plan: () => [],
  async run(_args, { store, person }) {
    const account = await store.accounts.get(person);
    await store.accounts.forget(person);
    await store.reminders.forget(person);
    return account;
  },
  reply: (account) =>
    message({
      blocks: doneCard({
        says: account
          ? md`Forgot ${code(account.login)}: the credential and your settings are gone. The token itself still exists on the forge; delete it there if it is not needed.`
          : md`You were not linked. Nothing is kept about you.`,
      }),
    }),
});
