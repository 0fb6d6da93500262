import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, form, after, result } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ forge: { flavor: 'document' } });
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'signin other');
  await form('ada');
  await ada.fill({ login: 'ada', token: bellows.forge.users['ada']?.token() ?? '' });
  await after('ada', () => ada.submit());
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('finds stuck runs, and offers force once it turns out that there is no regular cancel', async () => {
  const first = await type('ada', 'run stuck --workflow deploy.yml');
  expect(words(first)).toContain('which is offline');
  expect((await click('ada', first, 'Cancel')).text).toContain('Could not cancel the run');
  const second = words(await type('ada', 'run stuck'));
  expect(second).toContain('no runner has the label gpu');
  expect(second).toContain('run force-cancel');
  expect(second).not.toContain('run cancel');
});

it.each([
  ['repo use acme/engine', 'This channel’s default repository is now acme/engine'],
  ['issue edit #2 --title "Print on cards"', 'Changed title of'],
  ['issue assign #2 grace', 'Changed assignees of'],
  ['issue due #2 2027-01-01', 'Changed due date of'],
  ['issue block #2 #4', 'now blocks'],
  ['issue unblock #2 #4', 'no longer blocks'],
  ['pr review #8 ada, nobody', 'Requested a review from ada'],
  ['pr edit #8 --title "Drop it"', 'Changed title of'],
  ['pr retarget #8 printer', 'Changed the target branch to'],
  ['run show 8', 'Deploy v0.9'],
  ['todo', 'Waiting for your review'],
])('%s works with the documented operations alone', async (line, sentence) => {
  expect((await type('ada', line)).text).toContain(sentence);
});

it.each(['issue show #2', 'pr show #8', 'pr merge #8', 'pr approve #8', 'run cancel 8', 'inbox'])(
  '%s says that this forge lacks what it needs',
  async (line) => {
    expect((await type('ada', line)).text).toMatch(/does not support .*(or later|may support it)/);
  },
);

it('says why a form cannot be prefilled, so that nothing is cleared by it', async () => {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'issue edit #2');
  expect(words(await result('ada', 'cannot fill the form'))).not.toContain('"type":"input"');
  await ada.close();
});

it('offers no undo that could not be verified', async () => {
  const closed = words(await type('ada', 'issue close #2'));
  expect(closed).toContain('Closed');
  expect(closed).not.toContain('"Undo"');
});

it('subscribes', async () => {
  expect((await type('ada', 'subscribe acme/engine')).text).toContain('subscribed this channel to acme/engine');
  expect((await type('ada', 'subscribe acme/vault')).text).toContain('private and everyone can read this channel');
  expect((await type('ada', 'subscribe acme/nothing')).text).toContain('I can’t find acme/nothing');
  expect(words(await type('ada', 'subscribe acme/*', 'private'))).toContain('3 repositories; new ones');
});

it('previews, and says what it cannot know', async () => {
  const answer = await type('ada', 'subscribe acme/engine +label:bug --preview 30d');
  expect(answer.text).toContain('would have posted');
  expect(words(answer)).toContain('Labels of some older items could not be read');
});

it('explains, shows and ends', async () => {
  expect((await type('ada', 'why acme/engine#1')).text).toContain('No event about acme/engine#1 since');
  expect((await type('ada', 'status')).text).toContain('Updates are working');
  expect((await type('ada', 'unsubscribe acme/engine')).text).toContain('unsubscribed this channel from acme/engine');
});
