import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, turn } = talkTo(() => bellows);

beforeAll(async () => {
  // shown as a whole second
  bellows = await startBellows({ policy: 'roles:\n  maintainer:\n    users: [U0ADA00001]\n', pollMs: 500 });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('is fine if nothing is followed', async () => {
  expect((await type('ada', 'status')).text).toContain('This channel has no subscriptions.');
});

it('shows when each source of this channel was last polled and how fast it goes', async () => {
  await type('ada', 'subscribe acme/engine runs issues');
  await bellows.forge.requests.next(/engine\/activities\/feeds/);
  await bellows.forge.requests.next(/engine\/activities\/feeds/);
  const brief = await type('ada', 'status');
  expect(words(brief)).toMatch(/✅ Updates are working\. Last checked /);
  expect(words(brief)).not.toContain('every 1 s');
  const shown = words(await turn('ada', brief, 'Show details'));
  expect(shown).toMatch(/✅ acme\/engine \(activity\) · checked /);
  expect(shown).toContain('acme/engine (workflow runs)');
  expect(shown).toContain('every 1 s');
  expect(shown).toContain('0 events, 0 messages');
});

it('says what fails and why', async () => {
  const heal = bellows.forge.faults.add({
    on: /engine\/activities\/feeds/,
    times: 1_000,
    trouble: { status: 500, message: 'out of paper' },
  });
  await bellows.forge.requests.next(/engine\/activities\/feeds/);
  await bellows.forge.requests.next(/engine\/activities\/feeds/);
  const shown = words(await type('ada', 'status'));
  expect(shown).toContain('⚠️ acme/engine (activity)');
  expect(shown).toContain('The last check failed');
  expect(words(await type('ada', 'subscribe list'))).toContain('⚠️ Failing');
  heal();
});

it('says what is paused, and why', async () => {
  await type('ada', 'subscribe acme/website issues', 'general');
  await bellows.forge.requests.next(/website\/activities\/feeds/);
  await bellows.forge.requests.next(/website\/activities\/feeds/);
  bellows.forge.world.setPrivate({ repo: 'acme/website', private: true });
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/website', title: 'Now a secret' });
  const { dm } = bellows.slack.as('ada');
  await bellows.slack.until(() =>
    bellows.slack
      .as('ada')
      .sees(dm)
      .some(({ text }) => text.includes('paused')),
  );
  // the channel is notified too, in no fixed order
  await bellows.slack.until(() =>
    bellows.slack.state.messages('C0GENERAL1').some(({ text }) => text.includes('private now')),
  );
  const shown = words(await type('ada', 'status', 'general'));
  expect(shown).toContain('⏸️ acme/website is paused: The repository is private and everyone can read this channel');
  expect(words(await type('ada', 'subscribe list', 'general'))).toContain('⏸️ Paused');
});

it('says what Slack refuses', async () => {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const place = { team: bellows.slack.teamId, channel: 'C0ENGINE01' };
  const token = await store.outbox.lease(place).acquire(10_000);
  if (token === undefined) throw new Error('somebody else empties it');
  await store.outbox.pause(place, 'held for a test', Date.now() + 60_000);
  const body = { type: 'message', message: { text: 'Sick', blocks: [] } };
  await store.outbox.append(place, [{ id: 'two', body }]);
  const { entries } = await store.outbox.view(place);
  await store.outbox.begin(place, token, { id: 'two', entries: ['two'], note: {} }, 10_000);
  await store.outbox.setAside(place, token, { intent: 'two', entries, code: 'msg_too_long', retry: false });
  await store.outbox.note(place, { id: 'one', count: 3, since: Date.now(), code: 'internal_error' });
  await store.outbox.lease(place).release(token);
  const shown = words(await type('ada', 'status'));
  expect(shown).toContain('Slack rejected a message in <#C0ENGINE01> 3 times (internal_error). Retrying.');
  expect(shown).toContain('1 message could not be posted in <#C0ENGINE01> (msg_too_long).');
  await store.outbox.resume(place);
  const notices = { ...place, channel: 'U0GRACE001' };
  await store.outbox.wait(notices, Date.now() + 60_000);
  await store.outbox.append(notices, [{ id: 'notice', body }]);
  const all = words(await type('ada', 'status --all'));
  expect(all).toContain('Slack is rate limiting messages in <@U0GRACE001>.');
  await store.outbox.forget(notices, ['notice']);
  await store.outbox.wait(notices, 0);
  await close(redis);
});

it('names no private repository that only a pattern includes', async () => {
  await type('ada', 'subscribe acme/va* issues', 'private');
  const feed = /vault\/activities\/feeds/;
  const heal = bellows.forge.faults.add({ on: feed, times: 1_000, trouble: { status: 500, message: 'out of paper' } });
  for (const _time of ['failing', 'noted']) await bellows.forge.requests.next(feed);
  const all = words(await turn('ada', await type('ada', 'status --all'), 'Show details'));
  expect(all).toContain('⚠️ a private repository (activity)');
  expect(all).toContain('The last check failed: see the log');
  const there = words(await turn('ada', await type('ada', 'status', 'private'), 'Show details'));
  expect(there).toContain('acme (new repositories)');
  expect(there).not.toContain('a private repository');
  for (const shown of [all, there]) for (const part of ['vault', 'out of paper']) expect(shown).not.toContain(part);
  heal();
});

it('shows only this channel and one’s own inbox, unless a maintainer asks for all', async () => {
  const own = words(await turn('grace', await type('grace', 'status'), 'Show details'));
  expect(own).toContain('your notifications');
  for (const part of ['website', 'a person’s notifications']) expect(own).not.toContain(part);
  // something is set aside in the other one
  expect(words(await type('grace', 'status', 'general'))).not.toContain('C0ENGINE01');
  expect((await type('grace', 'status --all')).text).toContain('Only maintainers');
  const every = await type('ada', 'status --all');
  const all = words(await turn('ada', every, 'Show details'));
  expect(all).toContain('acme/website is paused');
  expect(all).toContain('<#C0GENERAL1>');
  for (const label of ['Delay after webhooks', 'Delay of repositories', 'Delay of inboxes'])
    expect(all).toMatch(new RegExp(`${label}\\*\\\\n(none|\\d+ s)`));
});

it('pages if there are many sources', async () => {
  for (let at = 1; at <= 12; at += 1)
    bellows.forge.world.createRepo({ as: 'ada', owner: 'ada', name: `part-${String(at).padStart(2, '0')}` });
  await type('ada', 'subscribe ada/part-*');
  const first = await turn('ada', await type('ada', 'status'), 'Show details');
  expect(words(await turn('ada', first, 'Show more'))).toMatch(/part-1\d/);
});
