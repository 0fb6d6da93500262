import { command } from '../../chat/command.js';
import { accountMessage, readAccount } from '../../domain/accounts/whoami.js';

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
