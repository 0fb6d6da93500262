import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { inCode, reachOf, tokenButton } from '../../chat/scopes.js';
import { serverName, type TokenReach } from '../../forge/index.js';
import { actions, fields, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { bold, md, type Value } from '../../view/text.js';
import { signOutButton } from './sign-out.js';

/** If a server does not list scopes, its refusals show the missing ones. */
function scopeWords(reach: TokenReach | undefined, product: string): Value {
  if (!reach) return 'unknown';
  if (reach.scopes) return inCode(reach.scopes);
  if (reach.closed.length === 0) return `${product} doesn’t list them; this token can read everything Bellows needs`;
  return md`${product} doesn’t list them; missing: ${inCode(reach.closed)}`;
}

async function readAccount(_args: unknown, { store, person, forge, api }: Context) {
  const account = await store.accounts.get(person);
  return {
    account,
    server: await forge.capabilities.server(),
    reach: account?.state === 'active' ? await reachOf(account, api) : undefined,
  };
}

const accountMessage = (
  { account, server, reach }: Awaited<ReturnType<typeof readAccount>>,
  _args: unknown,
  { role, forge }: Context,
) =>
  message({
    blocks: account
      ? [
          section(
            md`You are ${bold(account.login)} on ${serverName(server)}${account.state === 'revoked' ? ', but your token no longer works' : ''}.`,
          ),
          ...fields([
            ['Role here', role],
            [
              'Confirmed by the forge',
              account.verified ? 'yes' : 'no, so you cannot request approval or approve requests',
            ],
            ['Token scopes', scopeWords(reach, server.product)],
          ]),
          actions(formButton({ text: 'Link another account', command: 'signin' }), signOutButton(), tokenButton(forge)),
        ]
      : [
          section(md`You have not linked a forge account. Your role is ${role}.`),
          actions(formButton({ text: 'Link account', command: 'signin', style: 'primary' })),
        ],
  });

export const whoami = command({
  name: 'whoami',
  title: 'Show linked account',
  summary: 'Show your linked account and role',
  examples: ['whoami'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [
    'users.currentToken',
    'admin.listCron',
    'repos.search',
    'issues.search',
    'notifications.list',
    'orgs.mine',
    'packages.get',
  ],
  account: 'none',
  plan: () => [],
  run: readAccount,
  reply: accountMessage,
});
