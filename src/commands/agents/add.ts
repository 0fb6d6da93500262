import { createHash } from 'node:crypto';
import { command } from '../../chat/command.js';
import { duration, flag, named, number, text } from '../../chat/fields/index.js';
import { agentFacts } from '../../domain/agents/shown.js';
import { UserError } from '../../errors.js';
import { secretCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';
import { commandPatterns, given, repositoryPatterns } from './limits.js';

const day = 86_400;
const usual = { expires: 30 * day, pace: 30 };
const mostAgents = 20;

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
  operations: [],
  plan: () => [],
  async run({ name, may, repos, expires = usual.expires, pace = usual.pace }, context) {
    const { store, person, channel, now, job } = context;
    const allowed = given(may, context);
    const account = await store.accounts.get(person);
    if (!account) throw new UserError('Link your forge account first.');
    const others = (await store.agents.ownedBy(person)).filter(({ id }) => id !== idOf(job));
    if (others.length >= mostAgents)
      throw new UserError(`You already have ${mostAgents} agents. Revoke one with /forge agents revoke first.`);
    if (others.some((each) => each.name.toLowerCase() === name.toLowerCase()))
      throw new UserError(`You already have an agent named ${name}. Choose another name, or revoke that one first.`, {
        field: 'name',
      });
    const made = await store.agents.put({
      ...{ id: idOf(job), ...person, name, may: [...may], repos: [...(repos ?? [])], pace },
      channel: channel === undefined || channel.startsWith('D') ? null : channel,
      ...{ login: account.login, forgeUserId: account.forgeUserId, linkedAt: account.linkedAt },
      expiresAt: now.getTime() + expires * 1_000,
    });
    return { ...made, allowed: allowed.length };
  },
  reply: ({ agent, token, allowed }, _args, { now }) =>
    message({
      text: `The token of your agent ${agent.name}.`,
      blocks: secretCard(
        md`Token of your agent ${bold(agent.name)}, which can use ${allowed} of your commands as you:`,
        token,
        agentFacts(agent, now),
      ),
    }),
});

/** The same for every start of one job, so that a start after a crash leaves one agent. */
const idOf = (job = '') => createHash('sha256').update(`agent ${job}`).digest('hex').slice(0, 12);
