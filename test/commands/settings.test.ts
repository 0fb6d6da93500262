import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, result } = talkTo(() => bellows);
const ada = () => bellows.slack.as('ada');

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows all but the rest on at first, in a form', async () => {
  await ada().command('engine', '/forge', 'settings');
  const shown = words(await form('ada'));
  expect(shown.match(/"value":"(review_requested|assigned|mentioned|replied|run_failed|activity)"/g)).toHaveLength(11);
  await ada().fill({ messages: ['Assignments'], quiet: '22:00 - 7' });
  await ada().submit();
  const view = words(await result('ada', 'quiet from 22:00 to 07:00'));
  expect(view).toContain('🔔 Assignments');
  expect(view).toContain('🔕 Mentions');
});

it('shows what was chosen when the form opens again', async () => {
  await ada().command('engine', '/forge', 'settings');
  expect(words(await form('ada'))).toContain('22:00-07:00');
  await ada().fill({ messages: null, quiet: null });
  await ada().submit();
  const view = words(await result('ada', 'no quiet hours'));
  expect(view).not.toContain('🔔');
});

it('takes single settings by word and keeps the others', async () => {
  expect(words(await type('ada', 'settings --messages review_requested,mentioned'))).toContain('🔔 Review requests');
  const answer = words(await type('ada', 'settings --quiet 21:30-06:00'));
  expect(answer).toContain('quiet from 21:30 to 06:00');
  expect(answer).toContain('🔔 Mentions');
  expect(words(await type('ada', 'settings --quiet off'))).toContain('no quiet hours');
});

it('says how quiet hours are written', async () => {
  expect((await type('ada', 'settings --quiet late')).text).toContain('22:00-07:00, or off');
  expect((await type('ada', 'settings --quiet 25:00-07:00')).text).toContain('22:00-07:00, or off');
});

describe('quiet hours that change while messages wait for their end', () => {
  let store: Store;
  const hourMs = 3_600_000;
  const place = () => ({ team: bellows.slack.teamId, channel: ada().dm });
  /** In the person's own time zone, from now. */
  const clock = (hours: number) => {
    const offsetMs = (bellows.slack.state.users.get('U0ADA00001')?.tzOffset ?? 0) * 1_000;
    return new Date(Date.now() + offsetMs + hours * hourMs).toISOString().slice(11, 16);
  };
  beforeAll(() => {
    store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  });
  afterAll(() => close(store.redis));

  it('end at their new end', async () => {
    await store.outbox.pause(place(), 'quiet hours', Date.now() + 8 * hourMs);
    await type('ada', `settings --quiet ${clock(-1)}-${clock(2)}`);
    const { until = 0 } = (await store.outbox.paused(place())) ?? {};
    expect(until).toBeGreaterThan(Date.now() + hourMs);
    expect(until).toBeLessThanOrEqual(Date.now() + 2 * hourMs);
  });

  it('end at once if they are turned off', async () => {
    await store.outbox.pause(place(), 'quiet hours', Date.now() + 8 * hourMs);
    await store.outbox.append(place(), [{ id: 'm1', body: { type: 'message', message: say(md`You are assigned`) } }]);
    await type('ada', 'settings --quiet off');
    await bellows.slack.until(() =>
      bellows.slack.state.messages(ada().dm).find(({ text }) => text.includes('assigned')),
    );
  });

  it('do not end a mute', async () => {
    await store.outbox.pause(place(), 'muted', Date.now() + 8 * hourMs);
    await type('ada', 'settings --quiet off');
    expect(await store.outbox.paused(place())).toMatchObject({ reason: 'muted' });
  });
});
