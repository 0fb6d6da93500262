import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const held = monitorEventLoopDelay({ resolution: 10 });

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
beforeEach(() => {
  held.reset();
  held.enable();
});
afterAll(() => bellows.close());

/** The longest time in which nothing, including health, could be answered. */
const longestMs = () => held.max / 1e6;
/** Far more than a busy machine needs, far less than a backtracking matcher takes here. */
const shortMs = 1_500;

it('a pattern with many stars keeps nobody waiting, however long the names are', async () => {
  bellows.forge.world.createRepo({ as: 'ada', owner: 'ada', name: 'a'.repeat(46) });
  const answer = await type('ada', 'subscribe ada/*a*a*a*a*a*a*a*b --preview');
  expect(answer.text).toContain('In the last 7 days');
  expect(longestMs()).toBeLessThan(shortMs);
});

it('a pattern counts as many repositories as are polled', async () => {
  bellows.forge.world.createOrg({ as: 'ada', login: 'parts' });
  // more than other lists are read
  for (let n = 0; n < 600; n += 1) bellows.forge.world.createRepo({ as: 'ada', owner: 'parts', name: `part-${n}` });
  expect(words(await type('ada', 'subscribe parts/* --preview'))).toMatch(/Only the first \d+ of 600 repositories/);
});

it.each([
  ['subscribe acme/engine commits branch:(a+)+b', '`(`', 'branch:(a+)+b'],
  ['subscribe acme/engine commits:main,[rR]elease', '`[`', 'commits:[rR]elease'],
  ['subscribe acme/engine -author:{a,b}', '`{`', '-author:{a,b}'],
  ['subscribe acme/[ew]*', '`[`', 'acme/[ew]*'],
  ['subscribe acme/engine issues acme/(a+)+b', '`(`', 'acme/(a+)+b'],
  ['unsubscribe acme/!engine', '`!`', 'acme/!engine'],
])('%s is refused with a sentence', async (line, letter, said) => {
  const { text } = await type('ada', line);
  expect(text).toContain('Patterns can only use `*`, `**` and `?`');
  expect(text).toContain(letter);
  expect(text).toContain(said);
});

it('a label is matched by its exact name, whatever its characters', async () => {
  expect((await type('ada', 'subscribe acme/engine issues +label:kind/(ui)')).text).toContain('+label:kind/(ui)');
  expect((await type('ada', 'subscribe acme/engine issues +label:(ui)*')).text).toContain('Patterns can only use');
});

it('a pattern stored earlier is read literally', async () => {
  const { forge } = bellows;
  await type('ada', 'subscribe acme/website commits', 'general');
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(bellows.config.keys) });
  const [sub] = await store.subscriptions.inChannel({ team: 'T0BELLOWS1', channel: 'C0GENERAL1' });
  if (!sub) throw new Error('the subscription is not there');
  const filter = { features: { commits: [] }, branch: ['(a+)+b', 'plain/(a+)+b'] };
  await store.subscriptions.put({ ...sub, filter }, 'acme/website');
  await close(redis);
  for (const branch of ['a'.repeat(26), 'plain/(a+)+b'])
    forge.world.push({ as: 'ada', repo: 'acme/website', branch, commits: ['A commit'] });
  const answer = await type('ada', 'subscribe acme/website --preview', 'general');
  expect(words(answer)).toContain('|plain/(a+)+b>');
  expect(words(answer)).not.toContain('aaaa');
  expect(longestMs()).toBeLessThan(shortMs);
});
