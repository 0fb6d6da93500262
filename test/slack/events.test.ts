import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, forgeId, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

let bellows: Bellows;
let store: Store;
const team = 'T0BELLOWS1';
beforeAll(async () => {
  bellows = await startBellows();
  const redis = connect(bellows.redisUrl);
  store = createStore({ redis, forgeId: forgeId(bellows.forge.url), seal: createSeal(testKeys) });
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
  ])('is asked about anew when it %s', async (_what, happen) => {
    await store.channels.learn(place, facts);
    await happen();
    await expect.poll(() => store.channels.facts(place, 60_000)).toBeUndefined();
  });
});

describe('a person who leaves', () => {
  const person = { team, user: 'U0GRACE001' };

  it('takes account, open requests and subscriptions along, and the channel is told', async () => {
    await bellows.link('grace');
    const place = { team, channel: 'C0GENERAL1' };
    await store.subscriptions.put(
      { place, target: { kind: 'repo', id: 1 }, owner: person.user, filter: {} },
      'acme/engine',
    );
    await store.approvals.create(
      {
        id: 'a1',
        command: 'run force-cancel',
        shape: 's',
        requester: { ...person, login: 'grace', forgeUserId: 2 },
        policy: {
          needed: 1,
          roles: ['admin'],
          users: [],
          groups: [],
          requesterCounts: false,
          expiresAt: Date.now() + 60_000,
        },
        bound: {},
        shown: {},
      },
      {},
    );
    await bellows.slack.happens.deactivate('grace');
    await expect.poll(() => store.accounts.get(person)).toBeUndefined();
    await expect.poll(async () => (await store.approvals.get('a1'))?.state).toBe('withdrawn');
    await expect
      .poll(async () => (await store.subscriptions.inChannel(place))[0]?.paused?.reason)
      .toContain('has left');
    const told = async () => JSON.stringify([await store.outbox.view(place), bellows.slack.state.messages('general')]);
    await expect.poll(told).toContain('acme/engine are paused');
  });

  it('changes nothing when only a profile changes', async () => {
    await bellows.link('ada');
    await bellows.slack.emit({ type: 'user_change', user: { id: 'U0ADA00001', deleted: false } });
    await bellows.slack.as('ada').openHome();
    await bellows.slack.until(() => bellows.slack.as('ada').home());
    expect(await store.accounts.get({ team, user: 'U0ADA00001' })).toMatchObject({ login: 'ada' });
  });
});
