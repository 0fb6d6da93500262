import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, result, click } = talkTo(() => bellows);
const edits = 'PATCH /repos/{owner}/{repo}/issues/{index}';
const bodies = (route = edits) => bellows.forge.requests.of(route).map(({ body }) => body);
const open = (title: string, more: object = {}) =>
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title, ...more }).index;
const issue = (index: number) => bellows.forge.world.issue('acme/engine', index);
const full = { body: 'Old text', labels: ['bug'], assignees: ['grace'], milestone: '1.0' };

async function openForm(index: number) {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', `issue edit acme/engine#${index}`);
  const view = await form('ada');
  bellows.forge.requests.clear();
  return { ada, view };
}

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(async () => {
  const ada = bellows.slack.as('ada');
  if (ada.openView()) await ada.close();
  expect(bellows.slack.failures.all).toEqual([]);
});

it('shows the current title, text, assignees, milestone, due date and labels', async () => {
  const index = open('All of it', full);
  await type('ada', `issue due acme/engine#${index} 2027-03-04`);
  const shown = words((await openForm(index)).view);
  for (const value of ['All of it', 'Old text', 'grace', '1.0', '2027-03-04', 'bug'])
    expect(shown).toContain(`"${value}"`);
});

it('sends only what changed, with the version that was shown', async () => {
  const index = open('Only the title', full);
  const { ada } = await openForm(index);
  await ada.fill({ title: 'A better title' });
  await ada.submit();
  await result('ada', 'Changed title of');
  expect(bodies()).toEqual([{ title: 'A better title', content_version: expect.any(Number) }]);
  expect(bellows.forge.requests.of('PUT /repos/{owner}/{repo}/issues/{index}/labels')).toEqual([]);
});

it('clears what is emptied', async () => {
  const index = open('Less of it', full);
  const { ada } = await openForm(index);
  await ada.fill({ body: '', labels: [], assignees: [], milestone: null });
  await ada.submit();
  await result('ada', 'Changed text, assignees, milestone, labels of');
  expect(issue(index)).toMatchObject({ body: '', labels: [], assignees: [] });
  expect(issue(index)?.milestone).toBeUndefined();
});

it('sends nothing if nothing was changed', async () => {
  const { ada } = await openForm(open('As it is', full));
  await ada.submit();
  await result('ada', 'No changes');
  expect(bodies()).toEqual([]);
});

it('comes back with both versions when someone else was faster', async () => {
  const index = open('Contested', full);
  const { ada } = await openForm(index);
  await ada.fill({ body: 'My text' });
  bellows.forge.world.edit({ as: 'grace', repo: 'acme/engine', index, body: 'Her text' });
  await ada.submit();
  const again = words(await result('ada', 'Someone else edited this'));
  expect(again).toContain('Her text');
  expect(again).toContain('"initial_value":"My text"');
  expect(issue(index)?.body).toBe('Her text');
  await ada.submit();
  await result('ada', 'Changed text of');
  expect(issue(index)?.body).toBe('My text');
});

it('notices a title that someone else changed, which the forge itself does not', async () => {
  const index = open('First title', full);
  const { ada } = await openForm(index);
  await ada.fill({ title: 'My title' });
  bellows.forge.world.edit({ as: 'grace', repo: 'acme/engine', index, title: 'Her title' });
  await ada.submit();
  const again = words(await result('ada', 'Someone else edited this'));
  expect(again).toContain('Her title');
  expect(again).toContain('"initial_value":"My title"');
  expect(bodies()).toEqual([]);
});

it('keeps other people’s changes in fields that were left alone', async () => {
  const index = open('Left alone', full);
  const { ada } = await openForm(index);
  await ada.fill({ title: 'My new title' });
  bellows.forge.world.assign({ as: 'grace', repo: 'acme/engine', index, assignees: ['margaret'] });
  await ada.submit();
  await result('ada', 'Changed title of');
  expect(issue(index)?.assignees.map(({ login }) => login)).toEqual(['margaret']);
});

it('is typed with flags, and undone', async () => {
  const index = open('Typed', full);
  const answer = await type(
    'ada',
    `issue edit acme/engine#${index} --title "Typed anew" --labels docs --milestone none`,
  );
  expect(answer.text).toBe(`Changed title, milestone, labels of #${index} Typed anew`);
  expect(issue(index)).toMatchObject({ title: 'Typed anew', labels: [{ name: 'docs' }] });
  expect((await click('ada', answer, 'Undo')).text).toContain('as it was before');
  expect(issue(index)).toMatchObject({ title: 'Typed', milestone: { title: '1.0' }, labels: [{ name: 'bug' }] });
});

it('does not undo over someone else’s later change', async () => {
  const index = open('Typed twice', full);
  const answer = await type('ada', `issue edit acme/engine#${index} --title "Mine"`);
  bellows.forge.world.edit({ as: 'grace', repo: 'acme/engine', index, title: 'Hers' });
  expect((await click('ada', answer, 'Undo')).text).toContain('Not undone: someone changed it since (title is now');
});

it.each(['nonsense', 'docs,nonsense'])('refuses --labels %s, and the labels stay', async (labels) => {
  const index = open('Labeled', { labels: ['bug', 'urgent'] });
  const answer = await type('ada', `issue edit acme/engine#${index} --title "Never sent" --labels ${labels}`);
  expect(answer.text).toContain('acme/engine has no label `nonsense`. It has: `bug`, `feature`');
  expect(issue(index)).toMatchObject({ title: 'Labeled', labels: [{ name: 'bug' }, { name: 'urgent' }] });
});

it('finds a label in any spelling', async () => {
  const index = open('Shouted');
  expect((await type('ada', `issue edit acme/engine#${index} --labels BUG,Docs`)).text).toContain('Changed labels of');
  expect(issue(index)?.labels.map(({ name }) => name)).toEqual(['bug', 'docs']);
});

it('clears nothing if the form was opened without an item', async () => {
  const { slack, forge } = bellows;
  const { index } = forge.world.openIssue({
    as: 'ada',
    repo: 'acme/engine',
    title: 'Loose bolt',
    assignees: ['grace'],
  });
  await slack.as('ada').command('engine', '/forge', 'issue edit');
  await form('ada');
  await slack.as('ada').fill({ issue: `acme/engine#${index}`, title: 'Tight bolt' });
  await slack.as('ada').submit();
  await result('ada', 'Tight bolt');
  expect(forge.world.issue('acme/engine', index)?.title).toBe('Tight bolt');
  const sent = forge.requests.of('PATCH /repos/{owner}/{repo}/issues/{index}').at(-1)?.body;
  expect(Object.keys(sent ?? {}).filter((name) => name !== 'content_version')).toEqual(['title']);
});

it('takes the organization’s labels too, typed and from the menu', async () => {
  bellows.forge.world.addOrgLabel({ repo: 'acme/engine', name: 'company-wide' });
  const index = open('Labeled from above', full);
  await type('ada', `issue edit acme/engine#${index} --labels bug,company-wide`);
  expect(issue(index)?.labels.map(({ name }) => name)).toEqual(['bug', 'company-wide']);
  const { ada, view } = await openForm(index);
  expect(JSON.stringify(await ada.suggest(view, 'labels:labels', 'company'))).toContain('company-wide');
  await ada.close();
});

it('asks someone who is not linked to link first, if only that can show the item', async () => {
  const alan = bellows.slack.as('alan');
  for (const line of ['issue edit acme/vault#1', 'issue assign acme/vault#1', 'issue due acme/vault#1']) {
    await alan.command('engine', '/forge', line);
    const view = await result('alan', 'Link your forge account');
    expect(words(view)).not.toContain('does not exist');
    await alan.click(view, 'Link account');
    await bellows.slack.until(() => words(alan.openView()).includes('Access token') || undefined);
    await alan.close();
    await alan.close();
  }
  await alan.command('engine', '/forge', 'issue edit acme/engine#1');
  await form('alan');
  await alan.close();
});

describe('issue label', () => {
  beforeAll(() => void bellows.forge.world.addLabel({ repo: 'acme/engine', name: 'help wanted', color: '0e8a16' }));

  it.each([
    ['-docs +bug', ['urgent', 'bug']],
    ['+bug', ['docs', 'urgent', 'bug']],
    ['bug -urgent', ['docs', 'bug']],
    ['bug, help wanted', ['docs', 'urgent', 'bug', 'help wanted']],
    ['help wanted -docs', ['urgent', 'help wanted']],
    ['-Docs,-URGENT', []],
    ['BUG', ['docs', 'urgent', 'bug']],
  ])('reads “%s” as people mean it', async (typed, labels) => {
    const index = open('Sorted', { labels: ['docs', 'urgent'] });
    const answer = await type('ada', `label acme/engine#${index} ${typed}`);
    expect(answer.text).toContain('Changed labels of');
    expect(
      issue(index)
        ?.labels.map(({ name }) => name)
        .toSorted(),
    ).toEqual(labels.toSorted());
  });

  it.each(['-nosuch', '+nosuch', 'nosuch', 'bug nosuch'])('refuses “%s” and changes nothing', async (typed) => {
    const index = open('Kept', { labels: ['docs'] });
    const answer = await type('ada', `label acme/engine#${index} ${typed}`);
    expect(answer.text).toContain('acme/engine has no label `nosuch`. It has: `bug`');
    expect(issue(index)?.labels.map(({ name }) => name)).toEqual(['docs']);
  });

  it('names the label that was probably meant', async () => {
    const index = open('Misspelled');
    const answer = await type('ada', `label acme/engine#${index} +urgnet`);
    expect(answer.text).toContain('has no label `urgnet`. Did you mean `urgent`?');
  });
});
