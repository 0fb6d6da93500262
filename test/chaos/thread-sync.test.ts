import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { buildProgram } from '../support/program.js';
import { startRedis, testKeys } from '../support/redis.js';
import { tally } from './support/tally.js';

const patience = 180_000;
const repo = 'acme/engine';
const policy = 'feed: { busySeconds: 1, idleSeconds: 1, takeoverSeconds: 12 }\n';

let bellows: Bellows;
let store: Store;
let program: Awaited<ReturnType<typeof buildProgram>>;
let bot: Part;
let worker: Part;
const place = { team: '', channel: 'C0ENGINE01' };
const { type } = talkTo(() => bellows);
const start = (word: 'bot' | 'worker') => startPart(word, environmentOf(bellows.config), program.command);
const ada = () => bellows.slack.as('ada');
const soon = <T>(look: () => T) => expect.poll(look, { timeout: patience, interval: 200 });

beforeAll(async () => {
  expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
  bellows = await startBellows({ parts: [], threadSync: true, policy });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  place.team = bellows.slack.teamId;
  program = await buildProgram();
  [bot, worker] = await Promise.all([start('bot'), start('worker')]);
  await bellows.link('ada');
  await type('ada', `subscribe ${repo} issues comments thread:sync`);
  await type('ada', `thread agree ${repo} public`);
}, patience);
afterEach(() => bellows.forge.faults.clear());
afterAll(async () => {
  await Promise.all([bot, worker].map((part) => part.kill('SIGKILL')));
  await close(store.redis);
  await bellows.close();
  await program.remove();
});

async function card(title: string) {
  const { index } = bellows.forge.world.openIssue({ as: 'grace', repo, title });
  const posted = () => bellows.slack.state.messages('engine').find(({ text }) => text.includes(`#${index} ${title}`));
  await soon(() => posted()).toBeDefined();
  const ts = posted()?.ts ?? '';
  await soon(() => store.threads.itemOf(place, ts)).toBeDefined();
  return {
    ts,
    index,
    comments: () => bellows.forge.world.issue(repo, index)?.comments.map(({ body }) => body) ?? [],
    /** What Bellows posted in the thread. */
    shown: () =>
      bellows.slack.state
        .messages('engine')
        .filter(({ threadTs, byBot }) => threadTs === ts && byBot)
        .map(({ text }) => text),
  };
}

/** Kills the worker during the request, or after it was answered, and starts another. */
async function cut(road: RegExp, when: 'before' | 'during' | 'after', act: () => Promise<unknown>): Promise<void> {
  if (when === 'before') await worker.kill('SIGKILL');
  if (when === 'during') bellows.forge.faults.add({ on: road, trouble: { delay: 3_000 }, times: 1 });
  bellows.forge.requests.clear();
  const sent = when === 'during' ? bellows.forge.requests.next(road) : undefined;
  await act();
  await sent;
  const isAnswered = () => [...bellows.forge.requests].some(({ method, path }) => road.test(`${method} ${path}`));
  if (when === 'after') await expect.poll(isAnswered, { timeout: patience, interval: 1 }).toBe(true);
  if (when !== 'before') await worker.kill('SIGKILL');
  worker = await start('worker');
}

describe.each(['before', 'during', 'after'] as const)('the worker is killed %s', (when) => {
  it(
    'the comment from a reply: it is there once and never comes back into its thread',
    async () => {
      const { ts, index, comments, shown } = await card(`Cut ${when} the comment`);
      const text = `Said ${when}`;
      await cut(/POST .*comments$/, when, () => ada().post('engine', text, ts));
      await soon(() => comments().length).toBeGreaterThan(0);
      // a later comment by someone else has passed everything an echo would pass
      bellows.forge.world.comment({ as: 'linus', repo, index, body: 'The last word' });
      await soon(() => shown().some((line) => line.includes('linus'))).toBe(true);
      const doubled = Math.max(0, comments().filter((body) => body.startsWith(text)).length - 1);
      const echoed = shown().filter((line) => line.includes('ada')).length;
      tally('once_twice', doubled);
      expect({ doubled, echoed }).toEqual({ doubled: 0, echoed: 0 });
    },
    patience,
  );

  it(
    'an edit and a deletion: both follow, nothing is doubled',
    async () => {
      const { ts, comments, shown } = await card(`Cut ${when} the edit`);
      const said = await ada().post('engine', 'Frist', ts);
      await soon(comments).toHaveLength(1);
      await soon(() => store.replies.get(place, said.ts)).toBeDefined();
      let edited = said;
      await cut(/PATCH .*comments\/\d+$/, when, async () => {
        edited = await ada().edit(said, 'First');
      });
      await soon(() => comments()).toEqual([expect.stringMatching(/^First\n/)]);
      await cut(/DELETE .*comments\/\d+$/, when, () => ada().remove(edited));
      await soon(comments).toEqual([]);
      expect(shown().filter((line) => line.includes('ada'))).toEqual([]);
    },
    patience,
  );
});
