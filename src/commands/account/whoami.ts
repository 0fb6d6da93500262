import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { serverName } from '../../forge/index.js';
import { actions, fields, section } from '../../view/blocks.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';

export const whoami = command({
  name: 'whoami',
  title: 'Show linked account',
  summary: 'Show which forge account you are linked to and what you may do',
  examples: ['whoami'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [],
  account: 'none',
  plan: () => [],
  run: async (_args, { store, person, forge }) => ({
    account: await store.accounts.get(person),
    server: await forge.capabilities.server(),
  }),
  reply: ({ account, server }, _args, { role, forge }) =>
    message({
      blocks: account
        ? [
            section(
              md`You are ${bold(account.login)} on ${serverName(server)}${account.state === 'revoked' ? `, but ${server.product} no longer accepts the credential` : ''}.`,
            ),
            ...fields([
              ['Role here', role],
              ['Confirmed by the forge', account.verified ? 'yes' : 'no: acts, but cannot approve'],
              ['Token scopes', account.scopes?.join(', ') ?? 'unknown'],
            ]),
            actions(
              formButton({ text: 'Link another account', command: 'signin' }),
              runButton({ text: 'Sign out', command: 'signout' }),
              openButton(forge.web),
            ),
          ]
        : [
            section(md`You are not linked to a forge account. Your role here is ${role}.`),
            actions(formButton({ text: 'Link account', command: 'signin', style: 'primary' })),
          ],
    }),
});
