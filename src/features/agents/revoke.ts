import { command, neverRuled } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { rest } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';

async function revokeAgent({ agent: wanted }: { readonly agent: string }, { store, person, role }: Context) {
  const isNamed = ({ id, name }: { id: string; name: string }) =>
    id === wanted || name.toLowerCase() === wanted.toLowerCase();
  const own = (await store.agents.ownedBy(person)).find(isNamed);
  // an admin may name someone else's agent by its unique id
  const other = role === 'admin' ? await store.agents.get(wanted) : undefined;
  const found = own ?? (other?.team === person.team ? other : undefined);
  if (!found) throw new UserError(`You have no agent named ${wanted}. See /forge agents list.`);
  await store.agents.remove(found.id);
  const asked = (await store.approvals.askedBy(found)).filter(({ agent }) => agent?.id === found.id);
  const ends = await Promise.all(asked.map(({ id }) => store.approvals.cancel(id, 'The agent was revoked.')));
  return { agent: found, withdrawn: ends.filter((end) => end === 'withdrawn').length };
}

const revokedMessage = ({ agent, withdrawn }: Awaited<ReturnType<typeof revokeAgent>>) =>
  message({
    blocks: doneCard({
      says: md`Revoked ${bold(agent.name)}. Its token no longer works.`,
      facts: withdrawn > 0 ? [`${count(withdrawn, 'open request')} for approval withdrawn`] : [],
    }),
  });

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
  approval: { policy: neverRuled },
  plan: () => [],
  run: revokeAgent,
  reply: revokedMessage,
});
