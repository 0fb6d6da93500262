import { command } from '../../chat/command.js';
import { toggle } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { agentsMessage, listAgents } from '../../domain/agents/list.js';

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
