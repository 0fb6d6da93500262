import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ forge: { flavor: 'document' } });
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'signin other');
  await ada.fill({ token: bellows.forge.users['ada']?.token() ?? '', login: 'ada' });
  await ada.submit();
  await bellows.slack.until(() => ada.sees('engine').some(({ text }) => text.includes('linked as')));
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('subscribes on a forge that has only the documented operations', async () => {
  expect((await type('ada', 'subscribe acme/engine')).text).toContain('subscribed this channel to acme/engine');
  expect((await type('ada', 'subscribe acme/vault')).text).toContain('private and everyone can read this channel');
  expect((await type('ada', 'subscribe acme/nothing')).text).toContain('I can’t find acme/nothing');
  expect(words(await type('ada', 'subscribe acme/*', 'private'))).toContain('3 repositories; new ones');
});

it('previews there, and says what it cannot know', async () => {
  const answer = await type('ada', 'subscribe acme/engine +label:bug --preview 30d');
  expect(answer.text).toContain('would have posted');
  expect(words(answer)).toContain('Labels of some older items could not be read');
});

it('explains, shows and ends there', async () => {
  expect((await type('ada', 'why acme/engine#1')).text).toContain('No event about acme/engine#1 since');
  expect((await type('ada', 'status')).text).toContain('Updates are working');
  expect((await type('ada', 'unsubscribe acme/engine')).text).toContain('unsubscribed this channel from acme/engine');
});
