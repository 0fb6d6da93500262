import { command } from '../../chat/command.js';
import { rest } from '../../chat/fields/index.js';
import { revokeAgent, revokedMessage } from '../../domain/agents/revoke.js';

export const agentsRevoke = command({
  name: 'agents revoke',
  aliases: ['agent revoke', 'agents remove'],
  summary: 'Revoke an agent’s token; it stops working at once',
  examples: ['agents revoke Release bot'],
  fields: {
    agent: rest({
      label: 'Agent',
      hint: 'Its name, or the ID shown by “agents list”.',
      placeholder: 'agent',
      max: 40,
    }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'Only a person looks after agents.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: revokeAgent,
  reply: revokedMessage,
});
