import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store, type Target } from '../../src/store/index.js';
import { asked } from '../support/asked.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

let bellows: Bellows;
let store: Store;
const team = 'T0BELLOWS1';
beforeAll(async () => {
  bellows = await startBellows();
  const redis = connect(bellows.redisUrl);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

describe('a channel that changes', () => {
  const place = { team, channel: 'C0ENGINE01' };
  const facts = { kind: 'public', shared: false, member: true, archived: false } as const;
  const happens = () => bellows.slack.happens;

  it.each([
    ['is archived', () => happens().archive('engine', 'ada')],
    ['is opened again', () => happens().archive('engine', 'ada', false)],
    ['is shared', () => happens().share('engine', 'T0STRANGER')],
    ['is shared no more', () => happens().unshare('engine', 'T0STRANGER')],
    ['is renamed', () => happens().rename('engine', 'motor')],
    ['loses the bot', () => happens().leave('motor', 'bellows')],
    ['gets the bot', () => happens().join('motor', 'bellows')],
  ])('is looked up again when it %s', async (_what, happen) => {
    await store.channels.learn(place, facts);
    await happen();
    await expect.poll(() => store.channels.facts(place, 60_000)).toBeUndefined();
  });
});

describe('a person who leaves', () => {
  const person = { team, user: 'U0GRACE001' };
  const place = { team, channel: 'C0GENERAL1' };
  const shown = async (at = place) =>
    JSON.stringify([await store.outbox.view(at, 50), bellows.slack.state.messages(at.channel)]);
  const follow = (target: Target, name: string, owner = person.user, at = place) =>
    store.subscriptions.put({ place: at, target, owner, filter: {} }, name);

  it('loses account, open requests and subscriptions, and the channel is notified', async () => {
    await bellows.link('grace');
    await follow({ kind: 'repo', id: 1 }, 'acme/engine');
    await follow({ kind: 'owner', id: 4, pattern: 'web*' }, 'acme');
    const requester = { ...person, login: 'grace', forgeUserId: 2 };
    await store.approvals.create(asked(Date.now(), { requester }), {});
    await bellows.slack.happens.deactivate('grace');
    await expect.poll(() => store.accounts.get(person)).toBeUndefined();
    await expect.poll(async () => (await store.approvals.get('a1'))?.state).toBe('withdrawn');
    await expect
      .poll(async () => (await store.subscriptions.inChannel(place)).map(({ paused }) => paused?.reason))
      .toEqual([expect.stringContaining('has left'), expect.stringContaining('has left')]);
    await expect.poll(() => shown()).toContain('acme/engine are paused');
    await expect.poll(() => shown()).toContain('acme/web* are paused');
    expect(await shown()).toContain('/forge subscribe acme/web*');
    await expect.poll(() => store.departures.all()).toEqual([]);
  });

  it('loses nothing when only a profile changes', async () => {
    await bellows.link('ada');
    await bellows.slack.emit({ type: 'user_change', user: { id: 'U0ADA00001', deleted: false } });
    await bellows.slack.as('ada').openHome();
    await bellows.slack.until(() => bellows.slack.as('ada').home());
    expect(await store.accounts.get({ team, user: 'U0ADA00001' })).toMatchObject({ login: 'ada' });
  });
});

it('drops an event whose type is a property of every object', async () => {
  await bellows.slack.emit({ type: 'constructor' });
  await bellows.slack.as('ada').openHome();
  await bellows.slack.until(() => bellows.slack.as('ada').home());
  expect(bellows.logged.join('')).not.toContain('a Slack listener failed');
});
