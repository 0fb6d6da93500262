import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { ifAnswered } from '../../forge/possible.js';
import { secretCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

export const runnerToken = command({
  name: 'runner token',
  title: 'Create runner token',
  summary: 'Create a registration token for a new runner (only you see it)',
  examples: ['runner token'],
  fields: {},
  role: 'admin',
  risk: 'risky',
  confidential: true,
  effect: 'idempotent',
  operations: ['admin.createRegistrationToken', 'admin.listRunners'],
  needs: ['admin.createRegistrationToken'],
  plan: () => [request('admin.createRegistrationToken', {})],
  approval: {
    async observe(_args, { api }) {
      const present = await ifAnswered(api.admin.listRunners({ query: { limit: 1 } }));
      const count = present?.total ?? 'unknown';
      return { bound: {}, shown: [['Runners now', String(count)]], wants: { says: 'get a token for a new runner' } };
    },
  },
  async run(_args, { api, forge }) {
    const { token } = await api.admin.createRegistrationToken();
    return { token, byName: await forge.capabilities.has('admin.createRunner') };
  },
  reply: ({ token, byName }, _args, { forge, slash }) =>
    message({
      text: 'The registration token for a new runner.',
      blocks: secretCard(md`Registration token for a new runner of ${forge.web}:`, token, [
        'anyone with this token can register a runner',
        byName ? `this server can also register one by name: ${slash} runner add` : undefined,
      ]),
    }),
});
