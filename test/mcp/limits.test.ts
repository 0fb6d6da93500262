import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { addAgent, clientOver, overHttp, type TestAgent } from './agent.js';

const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n';
let bellows: Bellows;
let narrow: TestAgent;
let inside: number;
const { type } = talkTo(() => bellows);
const opened: TestAgent[] = [];

async function open(user: string, line: string): Promise<TestAgent> {
  const agent = await clientOver(overHttp(bellows.address, await addAgent(bellows, user, line)));
  opened.push(agent);
  return agent;
}

beforeAll(async () => {
  bellows = await startBellows({ policy, agents: true });
  const { world } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'ada', name: 'diary' });
  world.openIssue({ as: 'ada', repo: 'ada/diary', title: 'Dear diary' });
  world.createRepo({ as: 'ada', owner: 'acme', name: 'attic' });
  inside = world.openIssue({ as: 'ada', repo: 'acme/attic', title: 'Old boxes' }).index;
  await bellows.link('ada');
  await bellows.link('grace');
  narrow = await open('ada', 'Narrow --may "issue *, pr list, todo, feed *" --repos "acme/*" --pace 120');
});
afterAll(async () => {
  for (const agent of opened) await agent.close();
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const refusals = async () => words(await type('ada', 'audit --outcome refused'));

describe('a limit to repositories', () => {
  const outside = { status: 'failed', text: expect.stringContaining('limited to `acme/*` and cannot use ada/diary') };

  it('allows what is inside', async () => {
    expect(await narrow.call('issue_show', { issue: `acme/attic#${inside}` })).toMatchObject({ status: 'done' });
  });

  it.each([
    ['by name', () => ({ issue: 'ada/diary#1' })],
    ['in other letters', () => ({ issue: 'ADA/diary#1' })],
    ['by a pasted address', () => ({ issue: `${bellows.forge.url}/ada/diary/issues/1` })],
    ['as an object', () => ({ issue: { owner: 'ada', repo: 'diary', index: 1 } })],
  ])('blocks %s', async (_, args) => {
    bellows.forge.requests.clear();
    const answer = await narrow.call('issue_show', args());
    expect(answer.text.toLowerCase()).toContain('limited to `acme/*` and cannot use ada/diary');
    expect(answer).toMatchObject({ status: 'failed', wrong: true });
    expect(bellows.forge.requests.all.filter(({ path }) => /ada\/diary/i.test(path))).toEqual([]);
  });

  it('names no repository outside for a name without its owner', async () => {
    const calls = ['diary', 'engine'].map(async (name) => ({
      name,
      ...(await narrow.call('issue_show', { issue: `${name}#1` })),
    }));
    for (const { name, text, status } of await Promise.all(calls)) {
      expect(status).toBe('failed');
      expect(text).toContain(`Write owner/${name}`);
      expect(text).not.toMatch(/(ada|acme)\//);
    }
  });

  it('applies to the second named item', async () => {
    expect(await narrow.call('issue_block', { issue: 'acme/engine#2', blocked: 'ada/diary#1' })).toMatchObject(outside);
  });

  it('applies to the default repository of the channel it was created in', async () => {
    expect(words(await type('ada', 'repo use ada/diary'))).toContain('default repository');
    const calls = [narrow.call('issue_show', { issue: '#1' }), narrow.call('issue_create', { title: 'Mine' })];
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(outside);
    await type('ada', 'repo use none');
  });

  it('blocks what is not about a repository', async () => {
    const calls = Object.entries({
      todo: {},
      issue_search: { query: 'diary' },
      feed_user: { person: 'ada' },
    }).map(async ([tool, args]) => ({ tool, ...(await narrow.call(tool, args)) }));
    for (const { tool, status, text } of await Promise.all(calls)) {
      expect([tool, status, text]).toEqual([tool, 'failed', expect.stringContaining('Name one of these repositories')]);
      expect(text).not.toContain('Dear diary');
    }
  });

  it('applies to a name that now leads elsewhere', async () => {
    bellows.forge.world.transferRepo({ as: 'ada', repo: 'acme/attic', to: 'ada' });
    const answer = await narrow.call('issue_show', { issue: `acme/attic#${inside}` });
    expect(answer).toMatchObject({ status: 'failed', text: expect.stringContaining('cannot use ada/attic') });
  });
});

it('a limit without an owner applies to where a former name leads now', async () => {
  const { world, requests } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'acme', name: 'shelf' });
  world.openIssue({ as: 'ada', repo: 'acme/shelf', title: 'Jars' });
  const agent = await open('ada', 'Ownerless --may "issue *" --repos "*/shelf"');
  expect(await agent.call('issue_show', { issue: 'acme/shelf#1' })).toMatchObject({ status: 'done' });
  world.renameRepo({ as: 'ada', repo: 'acme/shelf', name: 'cupboard' });
  requests.clear();
  expect(await agent.call('issue_show', { issue: 'acme/shelf#1' })).toMatchObject({
    status: 'failed',
    text: expect.stringContaining('cannot use acme/cupboard'),
  });
  expect(requests.all.filter(({ path }) => path.includes('/issues'))).toEqual([]);
});

describe('a limit to a name that another one took over', () => {
  const other = expect.stringContaining('is now another repository than this agent was limited to');

  it('does not reach the other repository', async () => {
    const { world, requests } = bellows.forge;
    world.createRepo({ as: 'ada', owner: 'acme', name: 'shed' });
    world.openIssue({ as: 'ada', repo: 'acme/shed', title: 'Rake' });
    const agent = await open('ada', 'Keeper --may "issue *" --repos acme/shed');
    expect(await agent.call('issue_show', { issue: 'acme/shed#1' })).toMatchObject({ status: 'done' });
    world.takeOverName({ as: 'ada', repo: 'acme/shed', name: 'shed-old' });
    requests.clear();
    const calls = ['issue_show', 'issue_close'].map((tool) => agent.call(tool, { issue: 'acme/shed#1' }));
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 'failed', text: other });
    expect(requests.all.filter(({ path }) => path.includes('/issues'))).toEqual([]);
  });

  it('does not reach the repositories of another owner', async () => {
    const { world } = bellows.forge;
    world.createUser({ login: 'norman' });
    world.createRepo({ as: 'norman', owner: 'norman', name: 'things' });
    world.openIssue({ as: 'norman', repo: 'norman/things', title: 'Lever' });
    const agent = await open('ada', 'Designer --may "issue *" --repos norman/*');
    expect(await agent.call('issue_show', { issue: 'norman/things#1' })).toMatchObject({ status: 'done' });
    world.renameUser({ login: 'norman', to: 'don' });
    world.createUser({ login: 'norman' });
    world.createRepo({ as: 'norman', owner: 'norman', name: 'things' });
    world.openIssue({ as: 'norman', repo: 'norman/things', title: 'Not that lever' });
    expect(await agent.call('issue_show', { issue: 'norman/things#1' })).toMatchObject({
      status: 'failed',
      text: other,
    });
  });

  it('is not set for a name that does not exist', async () => {
    const answer = await type('ada', 'agents add Nowhere --may "issue *" --repos acme/nowhere');
    expect(words(answer)).toContain('There is no repository');
  });
});

describe('a limit to commands', () => {
  it.each(['pr_merge', 'agents_add', 'nonsense'])('blocks %s, and records it', async (tool) => {
    const answer = await narrow.call(tool, {});
    expect(answer).toMatchObject({ status: 'refused', wrong: true, request: '' });
    expect(answer.text).toContain(`can’t use ${tool}`);
  });

  it('to issues does not reach pull requests, which share their numbers', async () => {
    const agent = await open('ada', 'Issuer --may "issue *"');
    bellows.forge.requests.clear();
    expect(await agent.call('issue_close', { issue: 'acme/engine#5' })).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('can’t use pr close'),
    });
    expect(bellows.forge.requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('names the agent in the audit', async () => {
    expect(await refusals()).toContain('Narrow, agent of <@U0ADA00001>');
  });

  it('opens nothing that is only for people', async () => {
    const wide = await open('ada', 'Wide --may "*" --pace 120');
    const names = (await wide.tools()).map(({ name }) => name);
    const personal = ['agents_add', 'agents_revoke', 'signin', 'signout', 'pr_approve', 'runner_token', 'key_add-mine'];
    expect(names.filter((name) => personal.includes(name))).toEqual([]);
    expect(await wide.call('key_add-mine', {})).toMatchObject({
      status: 'refused',
      text: expect.stringContaining('can’t use'),
    });
  });
});

describe('wrong arguments', () => {
  it.each([
    [{}, 'issue is missing'],
    [{ issue: 'nonsense' }, 'issue: '],
    [{ issue: 12.5 }, 'issue: '],
    [{ issue: 'acme/engine#2', color: 'red' }, 'has no argument color'],
    [{ issue: 'acme/engine#2', __proto__x: 1 }, 'has no argument'],
    [{ issue: 'x'.repeat(40_000) }, 'issue: '],
    [{ issue: null }, 'issue: '],
    [{ issue: 'acme/engine#2', dry_run: 'yes' }, 'dry_run'],
  ])('%j are refused with an explanation', async (args, says) => {
    const answer = await narrow.call('issue_close', args);
    expect(answer).toMatchObject({ status: 'refused', text: expect.stringContaining(says) });
    expect(answer.text.length).toBeLessThan(1_000);
  });

  it('a dry run sends nothing', async () => {
    bellows.forge.requests.clear();
    const answer = await narrow.call('issue_close', { issue: 'acme/engine#2', dry_run: true });
    expect(answer).toMatchObject({ status: 'done', text: expect.stringContaining('nothing was changed') });
    expect(bellows.forge.requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

it('has a rate limit', async () => {
  const slow = await open('ada', 'Slow --may "issue *" --pace 1');
  expect(await slow.call('issue_show', { issue: 'acme/engine#2' })).toMatchObject({ status: 'done' });
  expect(await slow.call('issue_show', { issue: 'acme/engine#2' })).toMatchObject({
    status: 'refused',
    text: expect.stringMatching(/1 calls? per minute. Try again in/),
  });
});

it('takes turns with itself', async () => {
  const busy = await open('ada', 'Busy --may "issue *" --pace 120');
  const show = () => busy.call('issue_show', { issue: 'acme/engine#2' });
  const few = await Promise.all([show(), show(), show()]);
  expect(few.map(({ status }) => status)).toEqual(few.map(() => 'done'));
});

it('stops when its person links another account', async () => {
  const agent = await open('grace', 'Faithful --may "issue *"');
  await bellows.link('grace', 'linus');
  await expect
    .poll(async () => (await agent.call('issue_show', { issue: 'acme/engine#2' })).text)
    .toContain('has linked another forge account since');
  // not even queued
  expect(await agent.call('issue_show', { issue: 'acme/engine#2' })).toMatchObject({ status: 'refused', request: '' });
});
