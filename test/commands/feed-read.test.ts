import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, turn } = talkTo(() => bellows);
const repoFeed = 'GET /repos/{owner}/{repo}/activities/feeds';
const userFeed = 'GET /users/{username}/activities/feeds';

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('reads a repository’s activity, newest first, and pages', async () => {
  const first = await type('ada', 'feed repo acme/engine');
  expect(words(first)).toContain('Activity in *acme/engine*');
  const second = await turn('ada', first, 'Show more');
  for (const shown of [first, second]) {
    const rows = shown.blocks.filter(({ type }) => type === 'section').length - 1;
    const [, from, to] = /(\d+)–(\d+) of/.exec(words(shown)) ?? [];
    // a range only where it matches the lines
    if (to !== undefined) expect(Number(to) - Number(from) + 1).toBe(rows);
  }
  expect(bellows.forge.requests.of(repoFeed).map(({ query }) => query['page'])).toEqual(['1', '2']);
});

it('reads one day', async () => {
  const answer = await type('ada', 'feed repo acme/engine --date 2020-02-29');
  expect(bellows.forge.requests.of(repoFeed).at(-1)?.query).toMatchObject({ date: '2020-02-29' });
  expect(answer.text).toContain('no activity');
});

it('reads what someone did themselves', async () => {
  const answer = await type('ada', 'feed user grace --own');
  expect(bellows.forge.requests.of(userFeed).at(-1)).toMatchObject({
    path: '/users/grace/activities/feeds',
    query: { 'only-performed-by': 'true' },
  });
  expect(words(answer)).toContain('*grace*');
});

it('keeps titles harmless', async () => {
  const answer = await type('ada', 'feed repo acme/website');
  expect(words(answer)).toContain('Escape &lt;!channel&gt;');
  expect(words(answer)).not.toContain('<!channel>');
});

it('reads what a person did unless everything around them is wanted', async () => {
  const own = await type('ada', 'feed user linus');
  expect(bellows.forge.requests.of(userFeed).at(-1)?.query).toMatchObject({ 'only-performed-by': 'true' });
  expect(words(own)).toContain('Activity of *linus*');
  const all = await type('ada', 'feed user linus --no-own');
  expect(bellows.forge.requests.of(userFeed).at(-1)?.query).not.toHaveProperty('only-performed-by');
  expect(words(all)).toContain('Activity of *linus* and in watched repositories');
});

it('reads what happened in an organization, which does nothing itself', async () => {
  expect(words(await type('ada', 'feed user acme'))).toContain('Activity of *acme* and in watched repositories');
});

it('says that the person does not exist', async () => {
  expect((await type('ada', 'feed user nobody')).text).toContain('I can’t find nobody on the forge. Check the login.');
});
