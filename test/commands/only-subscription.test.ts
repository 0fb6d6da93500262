import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, opens } = talkTo(() => bellows);
const ada = () => bellows.slack.as('ada');

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('is the channel’s default repository, and the answer says so', async () => {
  expect(words(await opens('ada', 'issue show #2'))).toContain('Repository of #2');
  expect(words(await type('ada', 'subscribe acme/engine'))).toContain('`#12` here means acme/engine#12');
  expect((await type('ada', 'issue show #2')).text).toContain('#2');
  expect(words(await type('ada', 'subscribe list'))).toContain('This channel’s default repository');
});

it('appears in forms and in the launcher', async () => {
  await ada().command('engine', '/forge', 'issue create');
  expect(words(await form('ada'))).toContain('"initial_option":{"text":{"type":"plain_text","text":"acme/engine"');
  await ada().close();
  await ada().command('engine', '/forge', '');
  const view = await bellows.slack.until(() => ada().openView());
  expect(words(view)).toContain('acme/engine');
  await ada().close();
});

it('is overridden by a chosen one, and comes back after it', async () => {
  await type('ada', 'repo use acme/website');
  expect((await type('ada', 'run list')).text).toContain('acme/website');
  expect((await type('ada', 'repo use none')).text).toContain('Its only subscription, acme/engine, is used instead');
  expect((await type('ada', 'run list')).text).toContain('acme/engine');
});

it('is none if there are two, or a pattern', async () => {
  await type('ada', 'subscribe acme/website');
  expect(words(await opens('ada', 'run list'))).toContain('Repository');
  await type('ada', 'unsubscribe acme/website');
  expect((await type('ada', 'run list')).text).toContain('acme/engine');
  await type('ada', 'unsubscribe acme/engine');
  await type('ada', 'subscribe acme/*');
  expect(words(await opens('ada', 'run list'))).toContain('Repository');
});
