import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, form, result } = talkTo(() => bellows);
const edits = 'PATCH /repos/{owner}/{repo}/projects/{id}';
const mine = 'PATCH /user/projects/{id}/columns/{column_id}';
const served = (route: string) => bellows.forge.requests.of(route);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('grace');
  await type('grace', 'repo use acme/engine');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('creates a project in the channel’s repository', async () => {
  const answer = await type('grace', 'project create Bugs of autumn --template bug_triage --description "One by one"');
  expect(served('POST /repos/{owner}/{repo}/projects').at(-1)).toMatchObject({
    path: '/repos/acme/engine/projects',
    body: { title: 'Bugs of autumn', template_type: 'bug_triage', description: 'One by one' },
  });
  expect(answer.text).toContain('Created Bugs of autumn');
});

it('edits with a form that shows the current values', async () => {
  const grace = bellows.slack.as('grace');
  await grace.command('engine', '/forge', 'project edit');
  await form('grace');
  await grace.close();
  const card = await type('grace', 'project reopen acme/engine#1');
  await grace.click(card, 'Edit');
  expect(words(await form('grace'))).toContain('Road to 1.0');
  await grace.fill({ title: 'Road to 1.1' });
  await grace.submit();
  await result('grace', 'Road to 1.1');
  expect(served(edits).at(-1)?.body).toMatchObject({ title: 'Road to 1.1' });
  await grace.close();
});

it('opens the form if only the project was typed', async () => {
  const grace = bellows.slack.as('grace');
  await grace.command('engine', '/forge', 'project edit acme/engine#1');
  expect(words(await form('grace'))).toContain('Road to 1.1');
  await grace.close();
});

it('closes, and undoes it with a button', async () => {
  const closed = await type('grace', `project close ${bellows.forge.url}/acme/engine/projects/1`);
  expect(closed.text).toContain('Closed');
  expect((await type('grace', 'project column-add #1 Later')).text).toContain('closed');
  expect((await click('grace', closed, 'Undo')).text).toContain('Reopened project acme/engine#1 again');
  expect(served(edits).map(({ body }) => body)).toEqual([{ state: 'closed' }, { state: 'open' }]);
});

it('refuses to undo what someone has changed since', async () => {
  const closed = await type('grace', 'project close #1');
  await type('grace', 'project reopen #1');
  expect((await click('grace', closed, 'Undo')).text).toContain('someone changed it since (state is now');
});

it('adds a column with its color', async () => {
  const answer = await type('grace', 'project column-add acme/engine#1 In review --color 1D76DB');
  expect(served('POST /repos/{owner}/{repo}/projects/{id}/columns').at(-1)?.body).toEqual({
    title: 'In review',
    color: '#1d76db',
  });
  expect(answer.text).toContain('In review');
});

it('lists and edits the columns of an own project', async () => {
  const columns = await type('grace', 'project mine columns 2');
  expect(words(columns)).toContain('takes new cards');
  const changed = await type('grace', 'project mine column-edit 2 5 --title Done --position -128');
  expect(served(mine).at(-1)?.body).toEqual({ title: 'Done', sorting: -128 });
  expect(changed.text).toContain('Done');
});

it('validates position and color at their fields', async () => {
  const grace = bellows.slack.as('grace');
  const columns = await type('grace', 'project mine columns 2');
  await grace.click(columns, 'Edit');
  await form('grace');
  await grace.fill({ position: '128', color: 'red' });
  const { errors } = await grace.submit();
  expect(Object.values(errors).join()).toContain('from -128 to 127');
  expect(Object.values(errors).join()).toContain('#rrggbb');
  await grace.close();
  expect(served(mine)).toEqual([]);
});

it('edits an own project, state included', async () => {
  expect((await type('grace', 'project mine edit 2 --title "My month" --state closed')).text).toContain('My month');
  expect(served('PATCH /user/projects/{id}').at(-1)?.body).toEqual({ title: 'My month', state: 'closed' });
  expect((await type('grace', 'project mine edit 1 --title Theirs')).text).toContain('You have no project 1.');
});
