import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, result } = talkTo(() => bellows);
const repo = 'acme/engine';
const edits = 'PATCH /repos/{owner}/{repo}/issues/{index}';
const open = (title: string, more: object = {}) =>
  bellows.forge.world.openIssue({ as: 'grace', repo, title, ...more }).index;
const assigned = (index: number) => bellows.forge.world.issue(repo, index)?.assignees.map(({ login }) => login);
const due = (index: number) => bellows.forge.world.issue(repo, index)?.dueDate;

async function openForm(line: string) {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', line);
  return { ada, view: await form('ada') };
}

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(async () => {
  const ada = bellows.slack.as('ada');
  if (ada.openView()) await ada.close();
  expect(bellows.slack.failures.all).toEqual([]);
});

describe('the form of issue assign', () => {
  it('does not remove someone another person has added since', async () => {
    const index = open('Contested', { assignees: ['grace'] });
    const { ada } = await openForm(`issue assign #${index}`);
    bellows.forge.world.assign({ as: 'grace', repo, index, assignees: ['grace', 'margaret'] });
    await ada.fill({ people: ['grace', 'ada'] });
    await ada.submit();
    expect(words(await result('ada', 'Someone else edited this'))).toContain('margaret');
    expect(assigned(index)).toEqual(['grace', 'margaret']);
    await ada.submit();
    await result('ada', 'Changed assignees of');
    expect(assigned(index)).toEqual(['grace', 'ada']);
  });

  it('removes everyone if it is submitted empty', async () => {
    const index = open('Emptied', { assignees: ['grace'] });
    const { ada } = await openForm(`issue assign #${index}`);
    await ada.fill({ people: [] });
    await ada.submit();
    await result('ada', 'Changed assignees of');
    expect(assigned(index)).toEqual([]);
  });

  it('means nobody by empty even if it was opened without an issue', async () => {
    const index = open('Emptied from afar', { assignees: ['grace'] });
    const { ada } = await openForm('issue assign');
    await ada.fill({ issue: `${repo}#${index}` });
    await ada.submit();
    await result('ada', 'Emptied from afar');
    expect(assigned(index)).toEqual([]);
  });
});

describe('the form of issue due', () => {
  it('shows the current date, and clears it when emptied', async () => {
    const index = open('In time');
    await type('ada', `issue due #${index} 2027-03-04`);
    const { ada, view } = await openForm(`issue due #${index}`);
    expect(words(view)).toContain('"initial_date":"2027-03-04"');
    await ada.fill({ due: null });
    await ada.submit();
    await result('ada', 'Changed due date of');
    expect(due(index)).toBeUndefined();
  });

  it('sets a date if there was none', async () => {
    const index = open('No haste');
    const { ada } = await openForm(`issue due #${index}`);
    await ada.fill({ due: '2027-05-06' });
    await ada.submit();
    await result('ada', 'due 2027-05-06');
    expect(due(index)).toContain('2027-05-06');
  });

  it('asks for the day if it was opened without an issue and submitted empty', async () => {
    const index = open('Which day');
    await type('ada', `issue due #${index} 2027-03-04`);
    bellows.forge.requests.clear();
    const { ada } = await openForm('issue due');
    await ada.fill({ issue: `${repo}#${index}` });
    await ada.submit();
    await bellows.slack.until(() => JSON.stringify([ada.openView(), ada.sees('engine')]).includes('When is it due?'));
    expect(bellows.forge.requests.of(edits)).toEqual([]);
  });
});

it('says which repository lacks a milestone chosen from another one', async () => {
  const { world } = bellows.forge;
  const { index } = world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Elsewhere' });
  const { ada } = await openForm('issue edit');
  await ada.fill({ milestone: '1.0' });
  await ada.fill({ issue: `acme/website#${index}` });
  await ada.submit();
  const refusal = 'acme/website has no such milestone: it belongs to another repository.';
  await bellows.slack.until(() => JSON.stringify([ada.openView(), ada.sees('engine')]).includes(refusal));
  expect(bellows.forge.requests.of(edits)).toEqual([]);
});

it('opens no pr edit form for the number of an issue, and says so when typed too', async () => {
  const index = open('No pull request');
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', `pr edit #${index}`);
  expect(words(await result('ada', 'is an issue, not a pull request'))).not.toContain('"type":"input"');
  expect((await type('ada', `pr edit #${index} --title Odd`)).text).toContain('is an issue, not a pull request');
});
