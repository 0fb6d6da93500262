import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { createClient } from '../../src/slack/client.js';
import type { DoorDeps } from '../../src/slack/door-deps.js';
import { createEvents } from '../../src/slack/doors/event.js';
import { createSlackFacts } from '../../src/slack/facts.js';
import { close, connect, createSeal, createStore, type Store, type Target } from '../../src/store/index.js';
import { asked } from '../support/asked.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

let bellows: Bellows;
let store: Store;
const team = 'T0BELLOWS1';
beforeAll(async () => {
  bellows = await startBellows({ tempo: { followMs: 100 } });
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

describe('an event', () => {
  const [ours, stranger] = ['U0ADA00001', 'U0ALAN0001'];
  const foreign = 'T0STRANGER';
  const edit = { subtype: 'message_changed', user: undefined };
  beforeAll(() => {
    bellows.slack.state.user('alan').teamId = foreign;
  });

  it.each([
    [true, 'of someone here', {}, undefined],
    [true, 'of someone here, in a shared channel', {}, true],
    [true, 'of anyone, where Slack says that the channel is not shared', { user: stranger }, false],
    [false, 'of a stranger, in a shared channel', { user: stranger }, true],
    [false, 'of a stranger, where Slack says nothing about the channel', { user: stranger }, undefined],
    [false, 'of someone whom Slack does not know', { user: 'U0NOBODY99' }, undefined],
    [false, 'that names another workspace', { team: foreign }, false],
    [false, 'that was sent from another workspace', { source_team: foreign }, false],
    [false, 'whose author is of another workspace', { user_team: foreign }, false],
    [false, 'about an edit by a stranger', { ...edit, message: { ts: '1', user: stranger } }, true],
    [false, 'about an edit of what a stranger wrote', { ...edit, previous_message: { ts: '1', user: stranger } }, true],
    [false, 'about an edit in another workspace', { ...edit, message: { ts: '1', source_team: foreign } }, false],
    [false, 'about a deletion there', { ...edit, previous_message: { ts: '1', user_team: foreign } }, false],
  ])('is heard (%s) if it is one %s', async (isHeard, _what, change, isShared) => {
    const slack = createSlackFacts({ client: createClient(bellows.config.slack), team, store });
    const deps = { services: { slack, log: createLog({ level: 'silent' }) }, team };
    let heard = 0;
    // it reads nothing else of them
    const take = createEvents(deps as unknown as DoorDeps, { message: async () => void heard++ });
    await take({ type: 'message', channel: 'C0ENGINE01', ts: '2', user: ours, ...change }, 'Ev1', isShared);
    expect(heard).toBe(Number(isHeard));
  });
});
