import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const policy = 'people:\n  margaret: U0GRACE001\n';

beforeAll(async () => {
  bellows = await startBellows({ policy });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows who is who, and how that is known', async () => {
  const shown = words(await type('ada', 'people'));
  expect(shown).toMatch(/<@U0ADA00001> is <[^>]*\|ada>\\nlinked their account/);
  expect(shown).toMatch(/<@U0GRACE001> is <[^>]*\|margaret>\\nset in bellows.yaml/);
});

it('finds one by Slack name and by login', async () => {
  expect(words(await type('ada', 'people @grace'))).toContain('|margaret>');
  expect(words(await type('ada', 'people margaret'))).toContain('<@U0GRACE001>');
  expect((await type('ada', 'people linus')).text).toContain('Nobody in Slack is linked to linus');
});

it('needs no linked account', async () => {
  expect(words(await type('alan', 'people'))).toContain('|ada>');
});

it('prefers what people linked themselves', async () => {
  await bellows.link('grace');
  const shown = words(await type('ada', 'people'));
  expect(shown).toContain('|grace>');
  expect(shown).not.toContain('|margaret>');
});
