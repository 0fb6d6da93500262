import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Route } from '../../src/forge/operation.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { createLatch } from '../support/latch.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, result, after: answerTo } = talkTo(() => bellows);
const edits = 'PATCH /repos/{owner}/{repo}/issues/{index}';
const comments = 'POST /repos/{owner}/{repo}/issues/{index}/comments';
const open = (title: string, more: object = {}) =>
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title, ...more }).index;
const issue = (index: number) => bellows.forge.world.issue('acme/engine', index);
const sent = (route: string) => bellows.forge.requests.of(route).length;
const refuse = (on: Route, status: number, message: string) =>
  bellows.forge.faults.add({ on, trouble: { status, message } });
/** Its answer comes once this is called. */
function hold(on: Route): () => void {
  const { opened, open } = createLatch();
  bellows.forge.faults.add({ on, trouble: { hold: () => opened } });
  return open;
}
const said = () =>
  bellows.slack
    .as('ada')
    .sees('engine')
    .map(({ ts }) => ts);

async function openForm(line: string) {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', line);
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
  while (ada.openView()) await ada.close();
  expect(bellows.slack.failures.all).toEqual([]);
});

describe('buttons of an answer shown instead of a form', () => {
  it('put their own answer there', async () => {
    const index = open('Answered in place');
    const { ada } = await openForm(`issue edit acme/engine#${index}`);
    await ada.fill({ title: 'Renamed in place' });
    await ada.submit();
    const changed = await result('ada', 'Changed title of');
    const before = said();
    await ada.click(changed, 'Undo');
    await result('ada', 'is as it was before');
    expect(issue(index)?.title).toBe('Answered in place');
    expect(said()).toEqual(before);
  });

  it('say in the channel what they did if the form has been closed', async () => {
    const index = open('Closed meanwhile');
    const { ada } = await openForm(`issue edit acme/engine#${index}`);
    await ada.fill({ title: 'Renamed' });
    await ada.submit();
    const changed = await result('ada', 'Changed title of');
    const release = hold(edits);
    const answer = await answerTo('ada', async () => {
      await ada.click(changed, 'Close');
      await ada.close();
      release();
    });
    expect(answer.text).toContain('Closed');
  });
});

describe('a form the forge refused', () => {
  it.each([
    [403, 'issue is locked', 'You don’t have permission'],
    [422, 'title is too odd', 'rejected one of the values'],
    [404, 'gone', 'it does not exist'],
  ])(
    'comes back after %d with everything typed, and is sent again only by its button',
    async (status, message, why) => {
      const index = open('Refused once', { body: 'Old text', labels: ['bug'] });
      const { ada } = await openForm(`issue edit acme/engine#${index}`);
      await ada.fill({ title: 'My new title', labels: [] });
      refuse(edits, status, message);
      const before = said();
      await ada.submit();
      const again = words(await result('ada', why));
      expect(again).toContain('"initial_value":"My new title"');
      expect(again).toContain('"initial_value":"Old text"');
      expect(again).not.toContain('"bug"');
      expect(sent(edits)).toBe(1);
      expect(said()).toEqual(before);
      await ada.submit();
      await result('ada', 'Changed title, labels of');
      expect(sent(edits)).toBe(2);
      expect(issue(index)).toMatchObject({ title: 'My new title', body: 'Old text', labels: [] });
    },
  );

  it('lets a wrong number be corrected, and clears nothing by it', async () => {
    const index = open('Found at last', { labels: ['bug'], body: 'Stays' });
    const { ada } = await openForm('issue edit');
    await ada.fill({ issue: 'acme/engine#4711', title: 'Found and renamed' });
    await ada.submit();
    const again = words(await result('ada', 'I can’t find'));
    expect(again).toContain('"initial_value":"Found and renamed"');
    await ada.fill({ issue: `acme/engine#${index}` });
    await ada.submit();
    await result('ada', 'Changed title of');
    expect(issue(index)).toMatchObject({ title: 'Found and renamed', body: 'Stays', labels: [{ name: 'bug' }] });
  });

  it('can be reopened by a button if submitting closed it', async () => {
    const index = open('Locked for now');
    const { ada } = await openForm('issue comment');
    await ada.fill({ issue: `acme/engine#${index}`, body: 'A comment of some length' });
    refuse(comments, 403, 'issue is locked');
    const refused = await answerTo('ada', () => ada.submit());
    expect(refused.text).toContain('issue is locked');
    await ada.click(refused, 'Reopen form');
    expect(words(await form('ada'))).toContain('"initial_value":"A comment of some length"');
    expect(sent(comments)).toBe(1);
    const done = await answerTo('ada', () => ada.submit());
    expect(done.text).toContain('Commented on');
    expect(sent(comments)).toBe(2);
  });

  it('shows a text too long for a button, for copying', async () => {
    const index = open('Locked for long');
    const { ada } = await openForm('issue comment');
    await ada.fill({ issue: `acme/engine#${index}`, body: `Begin ${'word '.repeat(500)}end` });
    refuse(comments, 403, 'issue is locked');
    const refused = await answerTo('ada', () => ada.submit());
    expect(words(refused)).toContain('Comment, as you wrote it');
    expect(words(refused)).toContain('word end');
    await ada.click(refused, 'Reopen form');
    expect(words(await form('ada'))).toContain(`"value":"acme/engine#${index}"`);
  });

  it('keeps both versions apart if it was closed before someone else’s change was noticed', async () => {
    const index = open('Contested', { body: 'Old text' });
    const { ada } = await openForm(`issue edit acme/engine#${index}`);
    await ada.fill({ body: 'My text' });
    bellows.forge.world.edit({ as: 'grace', repo: 'acme/engine', index, body: 'Her text' });
    const release = hold('GET /repos/{owner}/{repo}/issues/{index}');
    const refused = await answerTo('ada', async () => {
      await ada.submit();
      await ada.close();
      release();
    });
    await ada.click(refused, 'Reopen form');
    expect(words(await form('ada'))).toContain('"initial_value":"My text"');
    await ada.submit();
    const both = words(await result('ada', 'Someone else edited this'));
    expect(both).toContain('Her text');
    expect(issue(index)?.body).toBe('Her text');
    await bellows.slack.until(() => ada.sees('engine').some(({ text }) => text.includes('Review both versions')));
  });

  it('stays a dry run', async () => {
    const { ada } = await openForm('run rerun --dry-run');
    await ada.fill({ run: 'acme/engine#1', job: 'no such job' });
    const refused = await answerTo('ada', () => ada.submit());
    expect(refused.text).toContain('no job');
    await ada.click(refused, 'Reopen form');
    expect((await form('ada')).submit).toBe('Show dry run');
  });

  it('carries no secret in its button', async () => {
    const { ada } = await openForm('signin');
    await ada.fill({ token: 'not-a-token-of-anybody' });
    const refused = await answerTo('ada', () => ada.submit());
    expect(words(refused)).toContain('Reopen form');
    expect(words(refused)).not.toContain('not-a-token');
  });

  it('is typed again without a button if it was typed', async () => {
    const index = open('Typed');
    refuse(comments, 403, 'issue is locked');
    const refused = await type('ada', `issue comment acme/engine#${index} Typed text`);
    expect(words(refused)).toContain('issue is locked');
    expect(words(refused)).not.toContain('Reopen form');
  });
});
