import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandJob } from '../../src/chat/act-job.js';
import { closedToAgents } from '../../src/chat/agent.js';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { toolName } from '../../src/chat/tool.js';
import { opensForm } from '../../src/chat/usage.js';
import { commands } from '../../src/features/index.js';
import { shortcuts } from '../../src/slack/doors/shortcut.js';
import { clientOver, overHttp, overStdio, type TestAgent } from '../mcp/agent.js';
import { saidTo } from '../mcp/said.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { sentIssues } from '../voice/hold.js';
import { parsed } from '../voice/parsed.js';
import { doorWalk, type Reached } from './door-walk.js';

/** Where a command can come from, and which walk below covers it. */
const doors = {
  typed: 'slash command',
  written: 'mention in a channel, mention in the thread of a card, direct message',
  form: 'form, opened by a button or a shortcut',
  button: 'button',
  agent: 'tool over HTTP',
  resumed: undefined, // what waited for its person to link: test/commands/account.test.ts and renewal.test.ts
} satisfies Record<CommandJob['source'], string | undefined>;

const policy = `
roles:
  admin:
    users: [U0ADA00001]
deployments:
  production: { repository: acme/engine, workflow: deploy.yml, refs: [main], inputs: { environment: production } }
`;
const catalog = createCatalog(commands);
/** Everything that is said names the command as it is called here. */
const slash = '/git';
const all = commands.map((command) => [command.name, command] as const);
const person = { team: '', user: 'U0ADA00001' };
const walked = new Set<CommandJob['source']>();

let bellows: Bellows;
let walk: ReturnType<typeof doorWalk>;
let card: string;

const reading = () => ({ now: new Date(), webUrl: bellows.forge.url, slash });
const ada = () => bellows.slack.as('ada');

/** What typed text must lead to, by the definition alone. */
function expected(line: string): { readonly kind: Reached['kind']; readonly args: Readonly<Record<string, unknown>> } {
  const read = parseCommand(line, catalog, reading());
  if (read.kind !== 'command') return { kind: 'words', args: {} };
  const { command, args, missing } = read;
  return { kind: missing.length > 0 || opensForm(command, args) ? 'form' : 'job', args };
}

beforeAll(async () => {
  bellows = await startBellows({
    mode: 'http',
    parts: ['bot'],
    command: slash,
    agents: true,
    policy,
    slack: { limits: false },
  });
  walk = doorWalk(bellows);
  person.team = bellows.slack.teamId;
  const credential = { kind: 'token', token: bellows.forge.account('ada').token() } as const;
  await walk.store.accounts.put(person, { login: 'ada', forgeUserId: 1, verified: true, credential });
  const { ts } = await bellows.slack.as('grace').post('engine', 'A card');
  card = ts;
  const url = `${bellows.forge.url}/acme/engine/issues/2`;
  const place = { team: person.team, channel: bellows.slack.state.channel('engine').id };
  await walk.store.threads.put(place, { item: 'r1-n2', ts, about: { event: { item: { url } } } });
  // what the examples name: forms that show current values need it
  const { world } = bellows.forge;
  while (!world.issue('acme/engine', 12)) world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'One more' });
  const target = { kind: 'repo', id: world.repo('acme/engine').id } as const;
  await walk.store.subscriptions.put({ place, target, owner: person.user, filter: {} }, 'acme/engine');
});
afterAll(async () => {
  await walk.end();
  await bellows.close();
});

describe('every command through the doors of Slack', () => {
  const typed: Readonly<Record<string, (line: string, user: string) => Promise<Reached>>> = {
    'slash command': (line, user) =>
      walk.reached(user, 'engine', () => bellows.slack.as(user).command('engine', slash, line)),
    'mention in a channel': (line, user) =>
      walk.reached(user, 'engine', () => bellows.slack.as(user).post('engine', `@bellows ${line}`)),
    'mention in the thread of a card': (line, user) =>
      walk.reached(user, 'engine', () => bellows.slack.as(user).post('engine', `@bellows ${line}`, card)),
    'direct message': (line, user) => {
      const direct = bellows.slack.state.dm(user).id;
      return walk.reached(user, direct, () => bellows.slack.as(user).post(direct, line));
    },
  };

  // what a door does is the same for all commands: each door gets every fourth, and a button every third
  const dealt = all.map((each, nth) => [...each, Object.keys(typed)[nth % 4] ?? '', nth % 3 === 0] as const);
  it.each(dealt)('%s', async (_, command, door, isClicked) => {
    const [line = ''] = command.examples;
    const { kind, args } = expected(line);
    const got = (await typed[door]?.(line, 'ada')) ?? { kind: 'words', text: 'no such door' };
    if (got.kind === 'job') {
      walked.add(got.job.source);
      const { command: name, source, person: by, dryRun } = got.job;
      const from = door === 'slash command' ? 'typed' : 'written';
      expect([name, source, by, dryRun]).toEqual([command.name, from, person, false]);
      expect(Object.keys(got.job.args).sort()).toEqual(Object.keys(args).sort());
    }
    // Slack opens a form only after a click: elsewhere the answer has a button for it
    const here = kind === 'form' && door !== 'slash command' ? 'words' : kind;
    expect([door, got.kind, line]).toEqual([door, here, line]);
    if (kind === 'form' && got.kind === 'words') expect(got.text).toContain('Open the form');
    while (ada().openView()) await ada().close();
    // what a form alone may ask for is never run by a button
    if (!isClicked && command.form?.opens !== 'only') return;
    const run = await walk.click('ada', 'run', command, command.form?.opens === 'only' ? {} : args);
    if (run.kind === 'job') walked.add(run.job.source);
    if (run.kind === 'job') expect([run.job.command, run.job.source]).toEqual([command.name, 'button']);
    else expect([run.kind, command.form?.opens]).toEqual(['form', 'only']);
    while (ada().openView()) await ada().close();
  });

  const restricted = all
    .filter(([, { role }]) => role !== 'everyone')
    .map((each, nth) => [...each, Object.keys(typed)[nth % 4] ?? '', nth % 2 === 0 ? 'run' : 'form'] as const);
  it.each(restricted)('%s is refused with an explanation to people who may not', async (_, command, door, action) => {
    const [line = ''] = command.examples;
    const refused = { kind: 'words', text: expect.stringMatching(/Only (?:maintainers|admins) can use/) };
    expect([door, await typed[door]?.(line, 'grace')]).toMatchObject([door, refused]);
    expect([action, await walk.click('grace', action, command, {})]).toMatchObject([action, refused]);
  });
});

describe('every command’s form', () => {
  it.each(all.filter(([, { hidden }]) => !hidden))('%s', async (_, command) => {
    const [line = ''] = command.examples;
    const { args } = expected(line);
    // the project in the example is someone else's here
    const { id: project } = bellows.forge.world.createProject({ as: 'ada', title: 'Mine', template: 'basic_kanban' });
    const named = command.name === 'project mine edit' ? { ...args, project } : args;
    const earlier = bellows.slack.calls.all.length;
    const opened = await walk.click('ada', 'form', command, command.form?.opens === 'only' ? {} : named);
    // a server without this feature says so at once
    if (opened.kind === 'words') return expect(opened.text).toContain('does not support');
    expect(opened.kind).toBe('form');
    const sent = bellows.slack.calls.all.slice(earlier).map(({ args }) => parsed(args));
    expect(sent.flatMap((each) => sentIssues(each, command.name))).toEqual([]);
    // a line cannot name these
    if (command.name === 'signin') await ada().fill({ token: 'a token' });
    if (command.name === 'pr diff') await ada().fill({ body: 'Nearly' });
    if (command.name === 'subscribe owner') await ada().fill({ person: 'U0GRACE001' });
    const got = await walk.reached('ada', 'engine', async () => expect((await ada().submit()).errors).toEqual({}));
    expect(got).toMatchObject({ kind: 'job', job: { command: command.name, source: 'form' } });
    walked.add('form');
    while (ada().openView()) await ada().close();
  });

  it.each(Object.entries(shortcuts))('opens by the shortcut %s', async (callback, { command, type, ...more }) => {
    const said = await ada().post('engine', 'The valve hisses');
    const got = await walk.reached('ada', 'engine', () =>
      type === 'message' ? ada().messageShortcut(callback, said) : ada().shortcut(callback),
    );
    const [field] = Object.values(catalog.get(command)?.fields ?? {});
    const form = { kind: 'form', text: expect.stringContaining(field?.label ?? '?') };
    expect(got).toMatchObject('atOnce' in more ? { kind: 'job', job: { command } } : form);
    while (ada().openView()) await ada().close();
  });
});

describe('every command as a tool', () => {
  let tokens: readonly string[];
  beforeAll(async () => {
    const account = await walk.store.accounts.get(person);
    const { login = '', forgeUserId = null, linkedAt = 0 } = account ?? {};
    const made = Array.from({ length: 12 }, (_, at) =>
      walk.store.agents.put({
        ...{
          id: `feedfeedfe${10 + at}`,
          ...person,
          name: `Walker ${at}`,
          may: ['*'],
          repos: [],
          meant: {},
          pace: 120,
          channel: null,
        },
        ...{ login, forgeUserId, linkedAt, expiresAt: Date.now() + 3_600_000 },
      }),
    );
    tokens = (await Promise.all(made)).map(({ token }) => token);
  });
  const open = commands.filter((command) => closedToAgents(command) === undefined);
  const closed = commands.filter((command) => closedToAgents(command) !== undefined);

  it.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ] as const)('is listed over %s, or refused with an explanation', async (_, over) => {
    const agent = await clientOver(over(bellows.address, tokens[11] ?? ''));
    const names = (await agent.tools()).map(({ name }) => name);
    expect(names.sort()).toEqual(['request_status', ...open.map(toolName)].sort());
    expect(await agent.call('signin')).toMatchObject({
      status: 'refused',
      text: expect.stringContaining('can’t use'),
    });
    await agent.close();
  });

  /** Instead of a worker: each accepted call finishes at once. */
  async function answering(until: Promise<unknown>): Promise<CommandJob[]> {
    const jobs: CommandJob[] = [];
    let over = false;
    void until.finally(() => {
      over = true;
    });
    await expect
      .poll(
        async () => {
          for (const job of await walk.taken()) {
            jobs.push(job);
            if (job.answer.call) await walk.store.calls.put(job.answer.call, { state: 'done', text: 'Walked.' });
          }
          return over;
        },
        { interval: 10 },
      )
      .toBe(true);
    return jobs;
  }

  it('is accepted once and answered once, or refused with an explanation', async () => {
    const agents: TestAgent[] = await Promise.all(
      tokens.slice(0, 11).map((token) => clientOver(overHttp(bellows.address, token))),
    );
    const answers = new Map<string, Awaited<ReturnType<TestAgent['call']>>>();
    const complete = open.filter(({ examples: [line = ''] }) => expected(line).kind === 'job');
    const calls = [...complete, ...closed].map(async (command, at) => {
      const { args } = expected(command.examples[0] ?? '');
      const given = closedToAgents(command) === undefined ? saidTo(command, args) : {};
      const agent = agents[at % agents.length];
      if (agent) answers.set(command.name, await agent.call(toolName(command), given));
    });
    const jobs = await answering(Promise.all(calls));
    for (const { name } of closed) expect([name, answers.get(name)?.status]).toEqual([name, 'refused']);
    for (const { name } of complete) {
      expect([name, answers.get(name)]).toMatchObject([name, { status: 'done', text: 'Walked.' }]);
      expect([name, jobs.filter(({ command }) => command === name).length]).toEqual([name, 1]);
    }
    for (const { source, person: by } of jobs) expect([source, by]).toEqual(['agent', person]);
    walked.add('agent');
    for (const agent of agents) await agent.close();
  });
});

it('covers every door there is', () => {
  const wanted = Object.entries(doors).flatMap(([door, by]) => (by === undefined ? [] : [door]));
  expect([...walked].sort()).toEqual(wanted.sort());
  expect(Object.keys(doors).sort()).toEqual([...CommandJob.shape.source.options].sort());
});
