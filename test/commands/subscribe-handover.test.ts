import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { allKeys, testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
let store: Store;
const { type, after } = talkTo(() => bellows);
const repo = 'acme/engine';
const ids = { ada: 'U0ADA00001', grace: 'U0GRACE001' };
const grace = () => bellows.slack.as('grace');

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
  const redis = connect(bellows.redisUrl);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  await type('ada', `subscribe ${repo}`);
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});
afterEach(() => {
  bellows.forge.faults.clear();
  expect(bellows.slack.failures.all).toEqual([]);
});

const messages = () => bellows.slack.state.messages('engine');
const asked = async () => {
  await type('ada', `subscribe owner ${repo} @grace`);
  return bellows.slack.until(() => messages().find(({ text }) => text.includes('wants you to own')));
};
type Card = Awaited<ReturnType<typeof asked>>;
const becomes = (card: Card, part: string) =>
  bellows.slack.until(() => messages().some(({ ts, text }) => ts === card.ts && text.includes(part)));
const subscriptions = () => store.subscriptions.inChannel({ team: 'T0BELLOWS1', channel: 'C0ENGINE01' });
const owner = async () => /owned by <@(\w+)>/.exec(words(await type('ada', 'subscribe list')))?.[1];

/** While `act` runs, the store cannot change who owns what this person owns. */
async function whileOwnerIsStuck(user: string, act: () => Promise<unknown>) {
  const list = (await allKeys(store.redis)).find((key) => key.includes(':by:') && key.endsWith(user)) ?? '';
  await store.redis.rename(list, `${list}:aside`);
  await store.redis.set(list, 'stuck');
  await act();
  await store.redis.rename(`${list}:aside`, list);
}

it('stays open if the change failed', async () => {
  const asks = await asked();
  await whileOwnerIsStuck(ids.ada, () => after('grace', () => grace().click(asks, 'Accept')));
  expect(await owner()).toBe(ids.ada);
  await grace().click(asks, 'Accept');
  await becomes(asks, 'now owns');
  expect(await owner()).toBe(ids.grace);
  await type('ada', `subscribe owner ${repo} me`);
});

it('is finished by a rerun after the owner was changed', async () => {
  const asks = await asked();
  for (const each of await subscriptions()) await store.subscriptions.change(each, { owner: ids.grace });
  await grace().click(asks, 'Accept');
  await becomes(asks, 'now owns');
  await type('ada', `subscribe owner ${repo} me`);
});

it('is not declined by who already owns it', async () => {
  const asks = await asked();
  for (const each of await subscriptions()) await store.subscriptions.change(each, { owner: ids.grace });
  const answer = await after('grace', () => grace().click(asks, 'Decline'));
  expect(answer.text).toContain('You already own acme/engine here.');
  expect(messages().find(({ ts }) => ts === asks.ts)?.text).toContain('wants you to own');
  await type('ada', `subscribe owner ${repo} me`);
});

it('is refused if another click answered it first', async () => {
  const asks = await asked();
  bellows.forge.faults.add({ on: /GET .*repos\/acme\/engine$/, trouble: { delay: 1_000 } });
  const reading = bellows.forge.requests.next(/GET .*repos\/acme\/engine$/);
  const answer = await after('grace', async () => {
    await grace().click(asks, 'Accept');
    await reading;
    for (const each of await subscriptions()) await store.handovers.close(each);
  });
  expect(answer.text).toContain('You already answered this request');
  expect(await owner()).toBe(ids.ada);
});
