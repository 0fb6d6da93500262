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

it('refuses a pattern that reaches private repositories the person may not see, without naming them', async () => {
  const answer = await type('alan', 'subscribe acme/* issues', 'private');
  expect(answer.text).toContain('private repositories that your account may not see');
  expect(words(answer)).not.toContain('vault');
  expect((await type('alan', 'subscribe list', 'private')).text).toContain('follows nothing yet');
});

it('takes a pattern that reaches none of them, and one of somebody who sees them all', async () => {
  expect((await type('alan', 'subscribe acme/web* issues', 'private')).text).toContain('follows acme/web*');
  expect((await type('ada', 'subscribe acme/* issues', 'private')).text).toContain('follows acme/*');
});
