import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { decideIn, force, repo } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { addAgent, cardOf, clientOver, overHttp, type TestAgent } from './agent.js';

// An agent needs approval even where people do not.
const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  risky: { requesterCounts: true }
  commands:
    cron run: { count: 0 }
    runner remove: { expires: 2s }
`;
let bellows: Bellows;
let agent: TestAgent;
/** Nobody decides on it, and the other tests pass meanwhile. */
let undecided: Awaited<ReturnType<TestAgent['call']>>;
let store: Store;
const { type } = talkTo(() => bellows);
const { cardSays, click, sent, stuck } = decideIn(() => bellows);

const open = async (line: string) => clientOver(overHttp(bellows.address, await addAgent(bellows, 'ada', line)));

beforeAll(async () => {
  bellows = await startBellows({ policy, agents: true });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('ada');
  await bellows.link('grace');
  agent = await open('"Release bot" --may "*" --pace 120');
  undecided = await agent.call('runner_remove', { runner: '3' });
});
afterAll(async () => {
  await agent.close();
  await close(store.redis);
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const becomes = (request: string, status: string, by = agent) =>
  expect.poll(async () => (await by.status(request)).status, { interval: 200 }).toBe(status);

/** An open approval request, with its card. */
async function asked(title: string, by = agent) {
  const run = stuck(title);
  const answer = await by.call('run_force-cancel', { run: `${repo}#${run}`, reason: 'It hangs <!everyone>' });
  expect(answer).toMatchObject({ status: 'waiting_for_approval', wrong: false });
  return { run, request: answer.request, card: await cardOf(bellows, title) };
}

it('waits for a second person, who sees the agent and its person, and then has the result', async () => {
  const { run, request, card } = await asked('Hangs one');
  expect(words(card)).toContain('Release bot, agent of <@U0ADA00001>, wants to');
  expect(words(card)).toContain('It hangs &lt;!everyone&gt;');
  expect(sent(run)).toEqual([]);
  expect(await agent.status(request)).toMatchObject({ status: 'waiting_for_approval' });
  await bellows.slack.as('grace').click(card, 'Approve');
  await becomes(request, 'done');
  expect((await agent.status(request)).text).toContain('Force-canceled');
  expect(sent(run)).toMatchObject([{ who: 'ada' }]);
  const row = words(await type('ada', 'audit run force-cancel --outcome done'));
  expect(row).toContain('Release bot, agent of <@U0ADA00001>');
});

it('cannot be approved by the person it acts for, whatever the policy says', async () => {
  const { run, request, card } = await asked('Hangs two');
  const answer = await click('ada', card, 'Approve');
  expect(answer.text).toContain('Someone else has to approve what your agent asked for.');
  expect(sent(run)).toEqual([]);
  expect(await agent.status(request)).toMatchObject({ status: 'waiting_for_approval' });
});

it('is not approved by the same forge user under another name in Slack', async () => {
  const { run, card } = await asked('Hangs three');
  await bellows.link('grace', 'ada');
  await expect.poll(async () => words(await type('grace', 'whoami'))).toContain('You are *ada*');
  expect((await click('grace', card, 'Approve')).text).toContain('Someone else has to approve');
  expect(sent(run)).toEqual([]);
  await bellows.link('grace');
  await expect.poll(async () => words(await type('grace', 'whoami'))).toContain('You are *grace*');
});

it('gets the reason if it was denied', async () => {
  const { run, request, card } = await asked('Hangs four');
  const grace = bellows.slack.as('grace');
  await grace.click(card, 'Deny');
  await grace.fill({ Reason: 'Not today' });
  await grace.submit();
  await becomes(request, 'denied');
  expect((await agent.status(request)).text).toContain('Not today');
  expect(sent(run)).toEqual([]);
});

it('needs approval for what its person could run at once', async () => {
  const before = bellows.forge.requests.of('POST /admin/cron/{task}').length;
  const answer = await agent.call('cron_run', { task: 'git_gc_repos' });
  expect(answer.status).toBe('waiting_for_approval');
  expect(bellows.forge.requests.of('POST /admin/cron/{task}')).toHaveLength(before);
});

it('does nothing to a repository that has left its limits since, even if approved', async () => {
  const { world, requests } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'acme', name: 'loaned' });
  const { id } = world.startRun({ as: 'ada', repo: 'acme/loaned', title: 'Hangs away' });
  world.freezeRun({ run: id });
  const narrow = await open('Homely --may "run *" --repos "acme/*" --pace 120');
  const { request } = await narrow.call('run_force-cancel', { run: `acme/loaned#${id}` });
  const card = await cardOf(bellows, 'Hangs away');
  world.transferRepo({ as: 'ada', repo: 'acme/loaned', to: 'ada' });
  await bellows.slack.as('grace').click(card, 'Approve');
  await becomes(request, 'refused', narrow);
  await cardSays(card, 'limited to `acme/\\*` and cannot use ada/loaned');
  expect(requests.of(force).filter(({ path }) => path.includes('loaned'))).toEqual([]);
  await narrow.close();
});

it('loses its requests when it is revoked', async () => {
  const other = await open('Passing --may "run *"');
  const { run, request, card } = await asked('Hangs five', other);
  // another agent's id is invalid, though both act for the same person
  expect(await agent.status(request)).toMatchObject({
    status: 'refused',
    text: expect.stringContaining('made no such request'),
  });
  const answer = words(await type('ada', 'agents revoke Passing'));
  expect(answer).toContain('1 open request for approval withdrawn');
  await cardSays(card, 'The agent was revoked');
  expect(sent(run)).toEqual([]);
  await expect(other.call('run_show', { run: `${repo}#${run}` })).rejects.toThrow(/401|bearer token/);
  await other.close();
});

it('does not run what was approved once the agent is deleted', async () => {
  const other = await open('Fleeting --may "run *"');
  const { run, request, card } = await asked('Hangs six', other);
  // only the record is deleted: nothing was withdrawn
  const [found] = (await store.agents.all()).filter(({ name }) => name === 'Fleeting');
  await store.agents.remove(found?.id ?? '');
  expect((await click('grace', card, 'Approve')).text).toContain('This agent was revoked.');
  expect(sent(run)).toEqual([]);
  expect((await store.approvals.get(request))?.state).toBe('open');
  await other.close();
});

it('learns that nobody decided in time', async () => {
  expect(undecided.status).toBe('waiting_for_approval');
  await becomes(undecided.request, 'expired');
});
