import { formButton, runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { toggle } from '../../chat/fields/index.js';
import { offset, rows } from '../../chat/fields/offset.js';
import { agentFacts } from '../../domain/agents/shown.js';
import { UserError } from '../../errors.js';
import type { Agent } from '../../store/index.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { when } from '../../view/look.js';
import { message } from '../../view/message.js';
import { paged } from '../../view/paging.js';
import { bold, code, md, mention } from '../../view/text.js';

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
  async run({ everyone }, { store, person, role }) {
    if (everyone && role !== 'admin') throw new UserError('Only admins can list everyone’s agents.');
    const all = everyone
      ? (await store.agents.all()).filter(({ team }) => team === person.team)
      : await store.agents.ownedBy(person);
    return { agents: all.sort((a, b) => a.createdAt - b.createdAt), used: await store.agents.lastUsed() };
  },
  reply({ agents, used }, { everyone, from = 0 }, { now, person }) {
    const row = (agent: Agent) => [
      section(
        md`🤖 ${bold(agent.name)} ${code(agent.id)}${agent.user === person.user ? md`` : md` · acts for ${mention(agent.user, agent.login)}`}`,
        runButton({ text: 'Revoke', command: 'agents revoke', args: { agent: agent.id }, style: 'danger' }),
      ),
      quiet([...agentFacts(agent, now), lastUsed(used.get(agent.id), now)]),
    ];
    const next = (at: number) =>
      turnButton({
        text: 'Show more',
        command: 'agents list',
        args: { ...(everyone ? { everyone } : {}), from: at },
      });
    return message({
      blocks: [
        agents.length === 0 ? section(everyone ? md`Nobody has an agent.` : md`You have no agents.`) : undefined,
        ...paged(agents, from, rows, row, next),
        actions(formButton({ text: 'Add agent', command: 'agents add' })),
      ],
    });
  },
});

const lastUsed = (at: number | undefined, now: Date) =>
  at === undefined ? 'never used' : md`last used ${when(at, { now }) ?? 'just now'}`;
