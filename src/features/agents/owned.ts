import { formButton, runButton, turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { rows } from '../../chat/fields.js';
import { inCode } from '../../chat/scopes.js';
import { UserError } from '../../errors.js';
import type { Agent } from '../../store/index.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { when } from '../../view/look.js';
import { message } from '../../view/message.js';
import { drawPage } from '../../view/paging.js';
import { bold, channel, code, md, mention, type Value } from '../../view/text.js';

/** What an agent may do, where, how fast and until when. */
export function agentFacts(agent: Agent, now: Date): (Value | undefined)[] {
  const expired = agent.expiresAt <= now.getTime();
  return [
    inCode(agent.may),
    agent.repos.length === 0 ? 'every repository you can use' : inCode(agent.repos),
    `${agent.pace} calls per minute`,
    agent.channel === null ? undefined : md`asks for approval in ${channel(agent.channel)}`,
    md`${expired ? 'expired' : 'expires'} ${when(agent.expiresAt, { now }) ?? 'soon'}`,
  ];
}

interface AgentsWanted {
  readonly everyone?: boolean | undefined;
  readonly from?: number | undefined;
}

const lastUsed = (at: number | undefined, now: Date) =>
  at === undefined ? 'never used' : md`last used ${when(at, { now }) ?? 'just now'}`;

export async function listAgents({ everyone }: AgentsWanted, { store, person, role }: Context) {
  if (everyone && role !== 'admin') throw new UserError('Only admins can list everyone’s agents.');
  const all = everyone
    ? (await store.agents.all()).filter(({ team }) => team === person.team)
    : await store.agents.ownedBy(person);
  return { agents: all.sort((a, b) => a.createdAt - b.createdAt), used: await store.agents.lastUsed() };
}

export function agentsMessage(
  { agents, used }: Awaited<ReturnType<typeof listAgents>>,
  { everyone, from = 0 }: AgentsWanted,
  { now, person }: Context,
) {
  const row = (agent: Agent) => [
    section(
      md`🤖 ${bold(agent.name)} ${code(agent.id)}${agent.user === person.user ? md`` : md` · acts for ${mention(agent.user, agent.login)}`}`,
      runButton({
        text: 'Revoke',
        command: 'agents revoke',
        args: { agent: agent.id },
        style: 'danger',
        confirm: {
          title: `Revoke ${agent.name}?`,
          text: 'Its token stops working at once, and its pending requests are withdrawn.',
          confirm: 'Revoke',
          deny: 'Keep',
        },
      }),
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
      ...drawPage(agents, from, rows, row, next),
      actions(formButton({ text: 'Add agent', command: 'agents add' })),
    ],
  });
}
