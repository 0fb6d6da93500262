import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('sets the channel’s repository for everyone there, so that a number is enough', async () => {
  expect((await type('ada', 'issue show #2')).text).toContain('Which repository?');
  expect((await type('ada', 'repo use ACME/engine')).text).toContain(
    'This channel’s default repository is now acme/engine',
  );
  expect((await type('alan', 'issue show #2')).text).toContain('Print results on paper');
  expect((await type('ada', 'issue show #2', 'general')).text).toContain('Which repository?');
});

it('shows it when nothing is typed', async () => {
  expect((await type('ada', 'repo use')).text).toContain('acme/engine');
});

it('removes it again', async () => {
  expect((await type('ada', 'repo use none')).text).toContain('Cleared this channel’s default repository');
  expect((await type('ada', 'issue show #2')).text).toContain('Which repository?');
});

it('does not set what the person cannot see', async () => {
  expect((await type('alan', 'repo use acme/vault')).text).toContain(
    'I can’t find acme/vault, or you don’t have access to it',
  );
  expect(words(await type('ada', 'repo use acme/vault'))).toContain('acme/vault');
});
