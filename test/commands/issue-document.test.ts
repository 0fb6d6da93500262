import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, after, result } = talkTo(() => bellows);

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
