import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCatalogue } from '../../src/chat/catalogue.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commands } from '../../src/commands/index.js';
import { describe as operation, operationNames } from '../../src/forge/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { lines } from './command-lines.js';

const catalogue = createCatalogue(commands);
const documented = operationNames.filter((name) => operation(name).beyond !== true);

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const policy = 'roles:\n  admin:\n    users: [U0ADA00001]\napprovals:\n  risky:\n    count: 0\n';

it('has a line for each of the 42', () => {
  expect(Object.keys(lines).sort()).toEqual([...documented].sort());
  expect(documented).toHaveLength(42);
});

describe.each([
  ['a Gitea', 'gitea-1.28'],
  ['a forge that has the document’s operations and nothing else', 'document'],
] as const)('on %s', (_name, flavour) => {
  beforeAll(async () => {
    bellows = await startBellows({ mode: 'http', policy, forge: { flavour } });
    const ada = bellows.slack.as('ada');
    await ada.command('general', '/forge', 'signin');
    await ada.fill({ login: 'ada', token: bellows.forge.account('ada').token() });
    await ada.submit();
    await bellows.slack.until(() => ada.sees('general').find(({ text }) => text.includes('Linked')));
    bellows.forge.world.createProject({ as: 'ada', title: 'My week', template: 'basic_kanban' });
    bellows.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 2, body: 'On which paper?' });
  });
  afterAll(() => bellows.close());
  beforeEach(() => bellows.forge.requests.clear());

  it.each(Object.entries(lines))('%s is reached by a signed “/forge %s”', async (name, written) => {
    const [thread] = bellows.forge.world.threadsOf('ada');
    const line = written.replace('{thread}', String(thread?.id));
    const answer = await type('ada', line);
    const { route } = operation(documented.find((each) => each === name) ?? 'issues.edit');
    const arrived = bellows.forge.requests.of(route);
    expect(arrived.length, answer.text).toBeGreaterThan(0);
    expect(arrived.at(-1)).toMatchObject({ who: 'ada', status: expect.toSatisfy((status: number) => status < 300) });
    expect(answer.text).not.toMatch(/^⚠️/);
    const parsed = parseCommand(line, catalogue, { now: new Date(), webUrl: bellows.forge.url });
    expect(parsed.kind === 'command' && parsed.command.operations).toContain(name);
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
