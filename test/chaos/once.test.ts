import { setTimeout as pause } from 'node:timers/promises';
import type { Trouble } from '@bellows/sandbox/forge/http/faults.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { buildProgram } from '../support/program.js';
import { startRedis } from '../support/redis.js';
import { slowWireTo } from '../support/slow-wire.js';
import { tally } from './support/tally.js';

const patience = 300_000;
const frozenMs = 60_000;
const repo = 'acme/engine';
const comments = 'POST /repos/{owner}/{repo}/issues/{index}/comments';

let bellows: Bellows;
let program: Awaited<ReturnType<typeof buildProgram>>;
let bot: Part;
let workers: Part[] = [];

const start = (word: 'bot' | 'worker', redisUrl = bellows.config.redisUrl) =>
  startPart(word, { ...environmentOf(bellows.config), REDIS_URL: redisUrl }, program.command);

beforeAll(async () => {
  expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
  bellows = await startBellows({ parts: [] });
  program = await buildProgram();
  bot = await start('bot');
  workers = [await start('worker')];
  await bellows.link('ada');
}, patience);
afterEach(async () => {
  bellows.forge.faults.clear();
  bellows.slack.faults.clear();
});
afterAll(async () => {
  await Promise.all([bot, ...workers].map((part) => part.kill('SIGKILL')));
  await bellows.close();
  await program.remove();
});

/** Another crew takes over from the old one. */
async function crew(...made: readonly Promise<Part>[]): Promise<void> {
  const old = workers;
  workers = await Promise.all(made);
  await Promise.all(old.map((part) => part.kill('SIGKILL')));
}

const ada = () => bellows.slack.as('ada');
const say = (text: string) => ada().command('engine', '/forge', `issue comment ${repo}#2 ${text}`);
const there = (text: string): number =>
  (bellows.forge.world.issue(repo, 2)?.comments ?? []).filter(({ body }) => body === text).length;
/** Everything posted to ada except acknowledgements, in its current form. */
const answers = () =>
  [...ada().sees('engine'), ...ada().sees(ada().dm)].filter(({ text }) =>
    /Commented|Could not|unknown|did not confirm|Nothing/i.test(text),
  );

/** What was done is reported as done, each command once. If the forge lost it, unknown is just as true. */
async function count(texts: readonly string[], before: number): Promise<void> {
  await bellows.slack.until(() => answers().length >= before + texts.length, patience);
  const given = answers().slice(before);
  const done = given.filter(({ text }) => text.includes('Commented')).length;
  const failed = given.filter(({ text }) => /Could not|Nothing/.test(text)).length;
  const made = texts.filter((text) => there(text) > 0).length;
  const twice = texts.filter((text) => there(text) > 1).length;
  const untrue = Math.max(0, done - made) + Math.max(0, failed - (texts.length - made)) + (given.length - texts.length);
  tally('once_twice', twice);
  tally('untrue_answers', untrue);
  expect({ twice, untrue }).toEqual({ twice: 0, untrue: 0 });
}

describe('with Redis far away', () => {
  it.each([100, 400, 1_500])(
    '%i ms each way, two workers post each comment once and report it once',
    async (ms) => {
      const wire = await slowWireTo(bellows.config.redisUrl, ms);
      await crew(start('worker', wire.url), start('worker', wire.url));
      const before = answers().length;
      // A person's commands run three at a time, each with a dozen round trips.
      const texts = Array.from({ length: ms < 1_000 ? 20 : 6 }, (_, at) => `Far ${ms} ${at}`);
      await Promise.all(texts.map(say));
      await count(texts, before);
      expect(texts.map(there)).toEqual(texts.map(() => 1));
      await crew(start('worker'));
      await wire.close();
    },
    patience * 2,
  );

  it.each([100, 400])(
    '%i ms each way, the bot too: accepted work is done once, refused work never',
    async (ms) => {
      const wire = await slowWireTo(bellows.config.redisUrl, ms);
      await Promise.all([crew(start('worker', wire.url)), bot.kill('SIGTERM')]);
      bot = await start('bot', wire.url);
      const before = answers().length;
      const texts = Array.from({ length: 6 }, (_, at) => `Both far ${ms} ${at}`);
      await Promise.all(texts.map(say));
      await count(texts, before);
      await crew(start('worker'));
      await bot.kill('SIGTERM');
      bot = await start('bot');
      await wire.close();
    },
    patience * 2,
  );
});

describe('a worker that freezes for a minute', () => {
  it.each([
    ['before', /GET .*issues\/2$/, { delay: 1_000 }],
    ['during', /POST .*comments$/, { delay: 1_000 }],
    ['after', /POST .*comments$/, undefined],
  ] as const)(
    '%s its write does nothing twice, and its person gets one true answer',
    async (when, road, trouble) => {
      const text = `Frozen ${when}`;
      const before = answers().length;
      const [frozen] = workers;
      if (trouble) bellows.forge.faults.add({ on: road, trouble });
      // The forge's answer reaches a worker that is suspended.
      const reached = bellows.forge.requests.next(road);
      await say(text);
      await reached;
      frozen?.child.kill('SIGSTOP');
      const awake = pause(frozenMs);
      const other = await start('worker');
      await bellows.slack.until(() => answers().length > before, patience);
      await awake;
      frozen?.child.kill('SIGCONT');
      // Whatever the suspended worker still does is done before it ends.
      await frozen?.kill('SIGTERM');
      workers = [other];
      await count([text], before);
      expect(there(text)).toBe(1);
      expect(
        answers()
          .slice(before)
          .map((each) => each.text),
      ).toEqual([expect.stringContaining('Commented')]);
    },
    patience * 2,
  );
});

describe('a lost answer of the forge', () => {
  const losses: readonly (readonly [string, Trouble])[] = [
    ['reset after', { drop: 'after' }],
    ['cut', { cut: 0.5 }],
    ['no JSON', { text: '{"id"', done: true }],
    ['500 after', { status: 500, done: true }],
    ['stalled', { stall: 40_000 }],
    ['500', { status: 500 }],
    ['reset before', { drop: 'before' }],
  ];
  it.each(losses)(
    '%s: one true answer is sent',
    async (how, trouble) => {
      const before = answers().length;
      bellows.forge.faults.add({ on: comments, trouble });
      await say(`Lost by ${how}`);
      await count([`Lost by ${how}`], before);
    },
    patience,
  );
});

describe('Slack is down', () => {
  it.each([20_000, 60_000])(
    'for %i ms: the answer is sent when it is back',
    async (ms) => {
      const before = answers().length;
      const back = Date.now() + ms;
      bellows.slack.faults.next('*', { kind: 'status', status: 503 }, 10_000, () => Date.now() < back);
      bellows.slack.faults.next('response_url', { kind: 'drop' }, 10_000, () => Date.now() < back);
      const texts = [1, 2, 3].map((at) => `Away ${ms} ${at}`);
      await Promise.all(texts.map(say));
      await count(texts, before);
      expect(Date.now()).toBeGreaterThan(back - 5_000);
    },
    patience,
  );
});
