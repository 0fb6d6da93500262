import { command } from '../../chat/command.js';
import { duration, flag, named, number, text } from '../../chat/fields/index.js';
import { addAgent, addedAgentMessage, day } from '../../domain/agents/add.js';
import { commandPatterns, repositoryPatterns } from './limits.js';

export const agentsAdd = command({
  name: 'agents add',
  aliases: ['agent add'],
  title: 'Add agent',
  submit: 'Create token',
  summary: 'Create a token for a program that acts for you (only you see it)',
  examples: [
    'agents add "Release bot" --may "issue *, run rerun" --repos acme/* --expires 30d',
    'agents add Triage --may "issue *"',
  ],
  fields: {
    name: text({ label: 'Name', hint: 'Shown on approval cards and in the audit log.', max: 40 }),
    may: named(commandPatterns()),
    repos: flag(repositoryPatterns()),
    expires: flag(
      duration({ label: 'Expires after', hint: '30 days if left empty, 90 days at most.', min: 3_600, max: 90 * day }),
    ),
    pace: flag(number({ label: 'Calls per minute', hint: '30 if left empty.', max: 120 })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'Only a person gives an agent its rights.',
  confidential: true,
  operations: ['repos.get', 'users.get'],
  plan: () => [],
  run: addAgent,
  reply: addedAgentMessage,
});
