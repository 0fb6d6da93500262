import { createHash } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { agentsOff, closedToAgents, isWholeName, mayCall } from '../../chat/agent.js';
import { command } from '../../chat/command.js';
import type { Askable, Context } from '../../chat/context.js';
import {
  duration,
  flag,
  joinList,
  listOf,
  type Needed,
  number,
  plainField,
  requireName,
  splitList,
  text,
} from '../../chat/fields.js';
import { asCode, UserError } from '../../errors.js';
import { unlessAbsent } from '../../forge/possible.js';
import { splitFullName } from '../../full-name.js';
import { refuseForeign } from '../../pattern.js';
import { preformat, section } from '../../view/blocks.js';
import { secretCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { bold, code, md } from '../../view/text.js';
import { agentFacts } from './owned.js';

interface NewAgent {
  readonly name: string;
  readonly may: readonly string[];
  readonly repos?: readonly string[] | undefined;
  readonly expires?: number | undefined;
  readonly pace?: number | undefined;
}

const day = 86_400;

const usual = { expires: 30 * day, pace: 30 };

const mostAgents = 20;

/** The commands these patterns allow this person's agent; a pattern that matches none is a mistake. */
function commandsGiven(may: readonly string[], { commands }: Pick<Context, 'commands'>): readonly Askable[] {
  const open = commands.filter((command) => closedToAgents(command) === undefined);
  for (const pattern of may) {
    const limits = { may: [pattern], repos: [] };
    if (open.some((command) => mayCall(limits, command))) continue;
    const closed = commands.find((command) => mayCall(limits, command));
    const why = closed ? `${closed.name} is not available to agents` : `No command matches “${pattern}”`;
    throw new UserError(`${why}. Write command names such as ${asCode('issue *', 'run rerun')}.`, { field: 'may' });
  }
  return open.filter((command) => mayCall({ may, repos: [] }, command));
}

const plainName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’()&+-]*$/u;
const invisible = /\p{Default_Ignorable_Code_Point}/u;
const verdict = /approved|denied|refused|withdrawn|expired|waitingfor|notrun/u;
/** Latin as Europe writes it, which goes with East Asian scripts, or one other alphabet alone: all else has look-alikes. */
const alphabets = [
  /^(?:[a-z\u00df-\u024f]|\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}|\p{scx=Hangul})*$/u,
  ...['Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Devanagari', 'Thai', 'Georgian', 'Armenian'].map(
    (script) => new RegExp(`^\\p{scx=${script}}*$`, 'u'),
  ),
];
const sameShape: readonly (readonly [RegExp, string])[] = [
  [/[1lı|]/g, 'i'],
  [/[0ø]/g, 'o'],
  [/3/g, 'e'],
  [/đ/g, 'd'],
  [/vv/g, 'w'],
];

/** It stands beside verdicts on cards: no emoji or markup, and none of a verdict's own words. */
function refuseLookAlike(name: string): void {
  if (!plainName.test(name) || invisible.test(name))
    throw new UserError('An agent’s name can only use letters, digits, spaces and . _ - ( ) & +.', { field: 'name' });
  // letters of other scripts and combining marks look like others
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  if (!alphabets.some((alphabet) => alphabet.test(letters.replace(/\p{N}/gu, ''))))
    throw new UserError('An agent’s name can’t mix letters of several alphabets.', { field: 'name' });
  const looks = sameShape.reduce((shown, [shape, letter]) => shown.replace(shape, letter), letters);
  if (verdict.test(looks))
    throw new UserError(`“${name}” reads like a decision on an approval card. Choose another name.`, { field: 'name' });
}

/** The ids behind the names, which others may take over. */
async function meantBy(repos: readonly string[], { api }: Context): Promise<Record<string, number>> {
  const all = repos.map(async (pattern): Promise<[string, number][]> => {
    const named = splitFullName(pattern);
    if (!isWholeName(named.owner)) return [];
    const asked: Promise<{ id: number }> = isWholeName(pattern)
      ? api.repos.get(named)
      : api.users.get({ username: named.owner });
    const found = await unlessAbsent(asked);
    if (found) return [[pattern, found.id]];
    const what = isWholeName(pattern) ? `repository ${asCode(pattern)}` : `owner ${asCode(named.owner)}`;
    throw new UserError(`There is no ${what}, or you can’t see it.`, { field: 'repos' });
  });
  return Object.fromEntries((await Promise.all(all)).flat());
}

/** The same for every run of one job, so that a rerun after a crash leaves one agent. */
const idOf = (job = '') => createHash('sha256').update(`agent ${job}`).digest('hex').slice(0, 12);

async function addAgent({ name, may, repos, expires = usual.expires, pace = usual.pace }: NewAgent, context: Context) {
  const { store, person, channel, now, job } = context;
  if (!context.policy.agents) throw new UserError(agentsOff);
  refuseLookAlike(name);
  const allowed = commandsGiven(may, context);
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
    ...{ id: idOf(job), ...person, name, may: [...may], pace },
    ...{ repos: [...(repos ?? [])], meant: await meantBy(repos ?? [], context) },
    channel: channel === undefined || channel.startsWith('D') ? null : channel,
    ...{ login: account.login, forgeUserId: account.forgeUserId, linkedAt: account.linkedAt },
    expiresAt: now.getTime() + expires * 1_000,
  });
  return { ...made, allowed: allowed.length };
}

/** For two common clients; the token itself stands above, once. */
function clientSnippets(url: string): KnownBlock[] {
  const bellows = { url, headers: { Authorization: 'Bearer TOKEN' } };
  const show = (settings: object) => preformat(JSON.stringify(settings, undefined, 2));
  return [
    section(md`Address: ${code(url)}. Put the token in place of TOKEN.`),
    section(md`${bold('VS Code')}: ${code('.vscode/mcp.json')}`),
    show({ servers: { bellows: { type: 'http', ...bellows } } }),
    section(md`${bold('Cursor')}: ${code('.cursor/mcp.json')}`),
    show({ mcpServers: { bellows } }),
  ];
}

const addedAgentMessage = (
  { agent, token, allowed }: Awaited<ReturnType<typeof addAgent>>,
  _args: unknown,
  { now, agentsUrl }: Context,
) =>
  message({
    text: `Token for your agent ${agent.name}`,
    blocks: [
      ...secretCard(
        md`Token for your agent ${bold(agent.name)} (${count(allowed, 'command')}, runs as you)`,
        token,
        agentFacts(agent, now),
      ),
      ...clientSnippets(agentsUrl ?? 'https://YOUR-BELLOWS/mcp'),
    ],
  });

const mostItems = 20;
const longest = 100;

function patterns(label: string, hint: string, placeholder: string, form: RegExp, what: string) {
  return plainField<readonly string[]>(
    { hint },
    {
      label,
      placeholder,
      input: { kind: 'text', max: 1_000 },
      schema: z.array(z.string().min(1).max(longest)).min(1).max(mostItems).readonly(),
      read: (text) => {
        const found = listOf(splitList(text.toLowerCase()), what, mostItems, longest);
        for (const each of found) {
          refuseForeign(each, each);
          if (!form.test(each)) throw new UserError(`“${each.slice(0, 60)}” is not valid here. Write ${placeholder}.`);
        }
        return found;
      },
      show: joinList,
    },
  );
}

/** `issue *, run rerun` */
const commandPatterns = (): Needed<readonly string[]> =>
  patterns(
    'Commands',
    'The commands the agent may use. * stands for any words.',
    'issue *, run rerun',
    /^[a-z0-9*? -]+$/,
    'commands',
  );

/** `acme/*` */
const repositoryPatterns = (): Needed<readonly string[]> =>
  patterns(
    'Repositories',
    'Leave empty for every repository you can use.',
    'acme/*',
    /^[a-z0-9._*?-]+\/[a-z0-9._*?-]+$/,
    'repositories',
  );

export const agentsAdd = command({
  name: 'agents add',
  aliases: ['agent add'],
  title: 'Add agent',
  summary: 'Create a token for a program that acts for you (only you see it)',
  examples: [
    'agents add "Release bot" --may "issue *, run rerun" --repos acme/* --expires 30d',
    'agents add Triage --may "issue *"',
  ],
  fields: {
    name: text({ label: 'Name', hint: 'Shown on approval cards and in the audit log.', max: 40 }),
    may: requireName(commandPatterns()),
    repos: flag(repositoryPatterns()),
    expires: flag(
      duration({ label: 'Expires after', hint: '30 days if left empty, 90 days at most.', min: 3_600, max: 90 * day }),
    ),
    pace: flag(number({ label: 'Calls per minute', hint: '30 if left empty.', max: 120 })),
  },
  form: { submit: 'Create token' },
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
