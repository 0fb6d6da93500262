import { command } from '../../chat/command.js';
import { offset, toggle } from '../../chat/fields.js';
import { agentsMessage, listAgents } from './owned.js';

export const agentsList = command({
  name: 'agents list',
  aliases: ['agent list'],
  summary: 'List your agents and what they may do',
  examples: ['agents list', 'agents list --everyone'],
  fields: {
    everyone: toggle({ label: 'Everyone’s', text: 'Agents of all people (admins only)' }),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'Only a person looks after agents.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: listAgents,
  reply: agentsMessage,
});
