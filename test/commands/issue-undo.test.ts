import { WebClient } from '@slack/web-api';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const repo = 'acme/engine';
const labels = 'PUT /repos/{owner}/{repo}/issues/{index}/labels';

/** Every editable value, as the forge has it. */
function held(index: number) {
  const item = bellows.forge.world.issue(repo, index);
  return {
    title: item?.title,
    body: item?.body,
    assignees: item?.assignees.map(({ login }) => login),
    milestone: item?.milestone?.title,
    due: item?.dueDate,
    labels: item?.labels.map(({ name }) => name),
  };
}
let branches = 0;
function openPull(title: string) {
  branches += 1;
  const { world } = bellows.forge;
  const head = `undo-${branches}`;
  world.push({ as: 'grace', repo, branch: head, commits: [{ message: title, files: [`${head}.go`] }] });
  return world.openPull({ as: 'grace', repo, title, head }).index;
}
const openIssue = (title: string, more: object = {}) =>
  bellows.forge.world.openIssue({ as: 'grace', repo, title, ...more }).index;

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const everything =
  '--title New --body "New text" --assignees ada,margaret --milestone 1.0 --due 2027-03-04 --labels docs,urgent';
const nothing = '--body none --assignees none --milestone none --due none --labels none';
const full = { body: 'Old text', labels: ['bug'], assignees: ['grace'], milestone: '1.0' };

it.each([
  ['title and labels of an issue', 'issue edit', () => openIssue('Old', full), '--title New --labels docs'],
  ['everything of an issue that had nothing', 'issue edit', () => openIssue('Old'), everything],
  ['everything taken away from an issue', 'issue edit', () => openIssue('Old', full), nothing],
  ['the first milestone of a pull request', 'pr edit', () => openPull('Old'), '--milestone 1.0'],
  ['everything of a pull request', 'pr edit', () => openPull('Old'), everything],
])('undoes %s', async (_what, command, open, flags) => {
  const index = open();
  const before = held(index);
  const answer = await type('ada', `${command} ${repo}#${index} ${flags}`);
  expect(answer.text).toContain('Changed');
  expect(held(index)).not.toEqual(before);
  expect((await click('ada', answer, 'Undo')).text).toContain(`${repo}#${index} is as it was before.`);
  expect(held(index)).toEqual(before);
});

it('restores the day of a due date that the forge keeps in a zone west of UTC', async () => {
  const index = openIssue('Due in New York');
  const item = bellows.forge.world.issue(repo, index);
  if (item) item.dueDate = '2027-03-04T23:59:59-05:00';
  const answer = await type('ada', `issue edit ${repo}#${index} --due 2027-05-06`);
  expect(held(index).due).toContain('2027-05-06');
  expect((await click('ada', answer, 'Undo')).text).toContain('is as it was before.');
  expect(held(index).due).toContain('2027-03-04');
});

it('says what could not be undone beside what was', async () => {
  const index = openIssue('Old', full);
  const answer = await type('ada', `issue edit ${repo}#${index} --title New --labels docs`);
  bellows.forge.faults.add({ on: labels, trouble: { status: 403, message: 'no labels for you' } });
  const undone = await click('ada', answer, 'Undo');
  expect(undone.text).toContain('Only partly undone.');
  expect(words(undone)).toContain('You don’t have permission to update the labels.');
  expect(held(index)).toMatchObject({ title: 'Old', labels: ['docs'] });
});

it('tells anyone else who clicks Undo that only its owner may', async () => {
  const index = openIssue('Undone by its owner only');
  const answer = await type('ada', `issue close ${repo}#${index}`);
  await bellows.link('grace');
  const { botToken, apiUrl } = bellows.config.slack;
  const client = new WebClient(botToken, { slackApiUrl: apiUrl ?? '' });
  const seen = new Set(
    bellows.slack
      .as('grace')
      .sees('engine')
      .map(({ ts }) => ts),
  );
  const button = answer.blocks.filter(({ type: kind }) => kind === 'actions').at(-1);
  await client.chat.postMessage({
    channel: 'C0ENGINE01',
    text: 'As others see it',
    blocks: [{ type: 'actions', ...button }],
  });
  const copy = bellows.slack
    .as('grace')
    .sees('engine')
    .find(({ ts }) => !seen.has(ts));
  if (!copy) throw new Error('nobody sees the copy');
  expect((await click('grace', copy, 'Undo')).text).toBe('Only the person who made this change can undo it.');
  expect(bellows.forge.world.issue(repo, index)?.state).toBe('closed');
  expect((await click('ada', answer, 'Undo')).text).toContain('Reopened');
});

it.each(['close', 'edit --title New'])(
  'does not undo issue %s in a repository that took over the name',
  async (line) => {
    const { world } = bellows.forge;
    const [verb = '', ...flags] = line.split(' ');
    const taken = `acme/undo-${verb}`;
    world.createRepo({ as: 'ada', owner: 'acme', name: `undo-${verb}` });
    const { index } = world.openIssue({ as: 'ada', repo: taken, title: 'Old' });
    const answer = await type('ada', `issue ${verb} ${taken}#${index} ${flags.join(' ')}`);
    world.takeOverName({ as: 'ada', repo: taken, name: `undo-${verb}-old` });
    const other = world.issue(taken, index) ?? world.openIssue({ as: 'ada', repo: taken, title: 'New' });
    if (verb === 'close' && other.state === 'open') world.close({ as: 'ada', repo: taken, index });
    other.title = 'New';
    expect((await click('ada', answer, 'Undo')).text).toContain('another repository has this name now');
    expect(world.issue(taken, index)).toMatchObject({ title: 'New', state: verb === 'close' ? 'closed' : 'open' });
  },
);

it.each([
  ['close', 'closedAt', 'closed'],
  ['reopen', 'updated', 'open'],
] as const)('does not undo issue %s after someone else did the same', async (verb, moment, state) => {
  const { world } = bellows.forge;
  const index = openIssue('There and back again');
  if (verb === 'reopen') world.close({ as: 'ada', repo, index });
  const answer = await type('ada', `issue ${verb} ${repo}#${index}`);
  const item = world.issue(repo, index);
  if (!item) throw new Error('no issue');
  item[moment] = (item[moment] ?? 0) + 60;
  expect((await click('ada', answer, 'Undo')).text).toContain('someone changed it since');
  expect(world.issue(repo, index)?.state).toBe(state);
});

it.each([
  ['issue block', (at: string) => `issue block ${at}#1 ${at}#2`],
  ['issue unblock', (at: string) => `issue unblock ${at}#1 ${at}#2`],
  ['workflow disable', (at: string) => `workflow disable ${at} ci.yml`],
  ['workflow enable', (at: string) => `workflow enable ${at} ci.yml`],
])('does not undo %s in a repository that took over the name', async (name, line) => {
  const { world, requests } = bellows.forge;
  const short = `undo-${name.replace(' ', '-')}`;
  const taken = `acme/${short}`;
  world.createRepo({ as: 'ada', owner: 'acme', name: short });
  for (const title of ['First', 'Second']) world.openIssue({ as: 'ada', repo: taken, title });
  world.plantWorkflow({ repo: taken, file: 'ci.yml', text: 'name: CI\non: push\n' });
  if (name === 'issue unblock') await type('ada', `issue block ${taken}#1 ${taken}#2`);
  if (name === 'workflow enable') await type('ada', `workflow disable ${taken} ci.yml`);
  const answer = await type('ada', line(taken));
  world.takeOverName({ as: 'ada', repo: taken, name: `${short}-old` });
  requests.clear();
  expect((await click('ada', answer, 'Undo')).text).toContain('is now another repository');
  expect(requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('is in the audit with its repository, also if its answer was lost', async () => {
  const index = openIssue('Undone twice');
  const answer = await type('ada', `issue close ${repo}#${index}`);
  bellows.forge.faults.add({ on: /^PATCH .*issues/, times: 9, trouble: { drop: 'after' } });
  await click('ada', answer, 'Undo');
  bellows.forge.faults.clear();
  const again = await type('ada', `issue close ${repo}#${index}`);
  await click('ada', again, 'Undo');
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const { rows } = await store.audit.read({ command: 'undo', target: `${repo}#${index}` });
  await close(redis);
  expect(rows.map(({ entry }) => entry.outcome).toSorted()).toEqual(['done', 'unknown']);
});
