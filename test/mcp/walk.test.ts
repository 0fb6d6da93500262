import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closedToAgents } from '../../src/chat/agent.js';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { toolName } from '../../src/chat/tool.js';
import { commands } from '../../src/features/index.js';
import { describe as operation } from '../../src/forge/index.js';
import { beyond, lines } from '../contract/command-lines.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { addAgent, clientOver, overHttp, type TestAgent } from './agent.js';
import { saidTo } from './said.js';

const catalog = createCatalog(commands);
// Each name is a key of the tables that the lines satisfy.
const walked = Object.entries({ ...lines, ...beyond }) as [Parameters<typeof operation>[0], string][];
const middle = Math.ceil(walked.length / 2);

// each call waits for its answer, so the halves walk side by side, each in order
describe.concurrent.each([
  ['first', walked.slice(0, middle)],
  ['second', walked.slice(middle)],
])('the %s half', (_, half) => {
  let bellows: Bellows;
  let agent: TestAgent;

  beforeAll(async () => {
    bellows = await startBellows({ policy: 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n', agents: true });
    await bellows.link('ada');
    bellows.forge.world.createProject({ as: 'ada', title: 'My week', template: 'basic_kanban' });
    bellows.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 2, body: 'On which paper?' });
    agent = await clientOver(overHttp(bellows.address, await addAgent(bellows, 'ada', 'Walker --may "*" --pace 120')));
  });
  afterAll(async () => {
    await agent.close();
    await bellows.close();
  });
  beforeEach(() => bellows.forge.requests.clear());

  it.sequential.each(half)('%s: an agent reaches what “/forge %s” reaches', async (name, written) => {
    const [thread] = bellows.forge.world.threadsOf('ada');
    const line = written.replace('{thread}', String(thread?.id));
    const parsed = parseCommand(line, catalog, { now: new Date(), webUrl: bellows.forge.url, slash: '/forge' });
    if (parsed.kind !== 'command') throw new Error('it is a command');
    const { command, args } = parsed;
    const answer = await agent.call(toolName(command), saidTo(command, args));
    const arrived = bellows.forge.requests.of(operation(name).route);
    const risk = command.riskOf?.(args) ?? command.risk;
    if (closedToAgents(command) !== undefined) expect(answer).toMatchObject({ status: 'refused' });
    else if (risk === 'risky') expect(answer).toMatchObject({ status: 'waiting_for_approval' });
    else expect([answer.status, answer.text]).toEqual(['done', expect.any(String)]);
    if (answer.status === 'done') expect(arrived.at(-1)).toMatchObject({ who: 'ada' });
    else expect(arrived.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
