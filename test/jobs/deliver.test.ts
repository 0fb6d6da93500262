import { describe, expect, it } from 'vitest';
import { notify } from '../../src/chat/notice.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';
const repo = 'acme/engine';

describe('delivery', () => {
  const services = useFeed({ tempo: { confirmMs: 1 } });
  const place = (channel: string) => ({ team: services.slack.teamId, channel });
  const open = (title: string) => {
    services.pass(1_000);
    return services.forge.world.openIssue({ as: 'grace', repo, title }).index;
  };
  const follow = async (...channels: readonly string[]) => {
    for (const channel of channels) await services.subscribe(channel, repo, 'issues comments');
    await services.round();
  };
  const titles = (channel: string) => services.shown(channel).map((text) => text.replace(/^.*#\d+ /, ''));
  const dms = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.shown(id));
  const paused = async (channel: string) =>
    (await services.store.subscriptions.inChannel(place(channel))).map((sub) => sub.paused?.reason);

  it('posts once and in the forge’s order, even if answers were lost', async () => {
    await follow(engine);
    const isAbout = (title: string) => (args: object) => JSON.stringify(args).includes(title);
    services.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'drop' }, 1, isAbout('One'));
    services.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'status' }, 1, isAbout('Two'));
    for (const title of ['One', 'Two', 'Three']) open(title);
    await services.round();
    expect(titles(engine)).toEqual(['One', 'Two', 'Three']);
    expect(services.counts.get('settled')).toBe(2);
    expect(services.counts.get('repeated')).toBeUndefined();
  });

  it('posts what never arrived, and finds a reply in its thread', async () => {
    await follow(engine);
    services.slack.faults.next('chat.postMessage', { kind: 'drop' });
    const index = open('One');
    await services.round();
    services.pass(1_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'hm' });
    services.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    await services.round();
    expect(titles(engine)).toEqual(['One']);
    expect(services.replies(engine, services.slack.state.messages(engine)[0]?.ts)).toHaveLength(1);
  });

  it('tells a person once, whether they cannot be reached for a while or an answer is lost', async () => {
    const { faults } = services.slack;
    const send = async (id: string, text: string, more = {}) => {
      await notify(services.store, { team: services.slack.teamId, user: 'U0ADA00001' }, id, say(md`${text}`), more);
      await services.deliver();
    };
    const shown = () => services.shown(services.slack.as('ada').dm);
    faults.next('conversations.open', { kind: 'error', error: 'user_disabled' });
    await send('n1', 'One');
    expect(shown()).toEqual([]);
    await services.round();
    expect(shown()).toEqual(['One']);
    faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    await send('n2', 'Two', { card: 'two' });
    expect(shown()).toEqual(['One', 'Two']);
    await send('n3', 'Three instead of two', { card: 'two' });
    expect(shown()).toEqual(['One', 'Three instead of two']);
    expect(services.counts.get('repeated')).toBeUndefined();
  });

  it('makes only one channel wait when Slack asks for it', async () => {
    await follow(engine, general);
    services.slack.faults.next(
      'chat.postMessage',
      { kind: 'ratelimited', retryAfter: 2 },
      1,
      ({ channel }) => channel === engine,
    );
    open('One');
    await services.poll();
    await services.jobs.steps.deliver(place(general));
    const wait = await services.jobs.steps.deliver(place(engine));
    expect(titles(general)).toEqual(['One']);
    expect(titles(engine)).toEqual([]);
    expect(wait).toBe(2_000);
    expect(services.slack.calls.of('chat.postMessage')).toHaveLength(2);
  });

  it('holds everything where Slack accepts nothing, and notifies its owner', async () => {
    const closed = [
      { at: engine, error: 'is_archived', words: 'The channel is archived.' },
      { at: general, error: 'not_in_channel', words: 'The bot is not in the channel. Invite it with /invite.' },
    ];
    await follow(engine, general);
    for (const { at, error } of closed)
      services.slack.faults.next('chat.postMessage', { kind: 'error', error }, 1, ({ channel }) => channel === at);
    open('One');
    await services.round();
    await services.deliver();
    for (const { at, words } of closed) {
      expect(await paused(at)).toEqual([undefined]);
      expect(await services.store.outbox.view(place(at))).toMatchObject({ size: 1, pause: { reason: words } });
    }
    expect(dms().sort()).toEqual(closed.map(({ words }) => expect.stringContaining(words)));
  });

  it('notifies its owner once, also if Slack opens no direct message at first and an answer is lost', async () => {
    await follow(engine);
    const { faults } = services.slack;
    faults.next('chat.postMessage', { kind: 'error', error: 'is_archived' }, 1, ({ channel }) => channel === engine);
    faults.next('conversations.open', { kind: 'status', status: 503 });
    open('One');
    await services.round();
    expect(dms()).toEqual([]);
    faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    await services.deliver();
    await services.deliver();
    expect(dms()).toEqual([expect.stringContaining('The channel is archived.')]);
  });

  it('starts a new thread if the old one was deleted', async () => {
    await follow(engine);
    const index = open('One');
    await services.round();
    services.slack.faults.next('chat.postMessage', { kind: 'error', error: 'thread_not_found' });
    services.pass(1_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'hm' });
    await services.round();
    expect(services.shown(engine)).toHaveLength(2);
  });

  it('redraws a card once, however much has happened since', async () => {
    await follow(engine);
    const index = open('One');
    await services.round();
    for (let times = 0; times < 3; times++) {
      services.pass(1_000);
      services.forge.world.close({ as: 'ada', repo, index });
      services.pass(1_000);
      services.forge.world.reopen({ as: 'ada', repo, index });
    }
    services.pass(1_000);
    services.forge.world.close({ as: 'ada', repo, index });
    await services.round();
    expect(services.slack.calls.of('chat.update')).toHaveLength(1);
    expect(JSON.stringify(services.slack.state.messages(engine)[0]?.blocks)).toContain('Closed');
    expect(services.replies(engine, services.slack.state.messages(engine)[0]?.ts)).toHaveLength(7);
  });

  it('withholds what became private, pauses and notifies the channel and the owner', async () => {
    await follow(engine);
    open('Secret plan');
    await services.poll();
    services.forge.world.setPrivate({ repo, private: true });
    services.pass(61_000);
    await services.deliver();
    await services.deliver();
    expect(services.shown(engine)).toEqual([expect.stringContaining('acme/engine is private now')]);
    expect(await paused(engine)).toEqual([expect.stringContaining('The repository is private')]);
    expect(dms()).toHaveLength(1);
    expect(dms().join()).not.toContain('Secret plan');
  });

  it('withholds everything if the channel was shared with another organization', async () => {
    await follow(engine);
    void services.slack.happens.share(engine, 'T0OTHER001');
    services.pass(61_000);
    open('One');
    await services.round();
    expect(titles(engine)).toEqual([]);
    const { pause } = await services.store.outbox.view(place(engine));
    expect(pause?.reason).toContain('another organization');
  });

  it('makes digests of many events, in few calls and with none lost', async () => {
    await follow(engine);
    const before = services.slack.calls.filter(() => true).length;
    const wanted = Array.from(
      { length: 120 },
      (_, at) => services.forge.world.openIssue({ as: 'grace', repo, title: `Burst ${at}` }).index,
    );
    await services.round();
    const calls = services.slack.calls.filter(() => true).length - before;
    const text = JSON.stringify(services.slack.state.messages(engine).map(({ blocks }) => blocks));
    const posted = [...text.matchAll(/\/issues\/(\d+)\|/g)].map(([, number]) => Number(number));
    expect(posted).toEqual(wanted);
    expect(calls).toBeLessThanOrEqual(8);
  });

  it('is quiet while a repository is muted, and posts one digest afterwards', async () => {
    await follow(engine);
    const { id } = await services.service.repos.get({ owner: 'acme', repo: 'engine' });
    await services.store.outbox.pause({ ...place(engine), lane: id }, 'muted', services.now() + 3_600_000);
    open('One');
    open('Two');
    await services.round();
    expect(titles(engine)).toEqual([]);
    services.pass(3_600_001);
    await services.deliver();
    expect(services.shown(engine)).toEqual(['2 updates in acme/engine']);
  });

  it('keeps the queue while a channel is muted', async () => {
    await follow(engine);
    await services.store.outbox.pause(place(engine), 'muted', services.now() + 3_600_000);
    open('One');
    open('Two');
    await services.round();
    expect(titles(engine)).toEqual([]);
    services.pass(3_600_001);
    await services.deliver();
    expect(services.shown(engine)).toEqual(['2 updates in acme/engine']);
  });

  it('counts what a pause leaves out anew after each pause', async () => {
    await follow(engine);
    const body = { type: 'update', thread: 'none' };
    for (const run of [1, 2]) {
      const ids = Array.from({ length: 1_000 }, (_, at) => `${run} ${at}`);
      await services.store.outbox.pause(place(engine), 'muted', services.now() + 60_000);
      await services.store.outbox.append(
        place(engine),
        ids.map((id) => ({ id, body })),
      );
      for (const title of ['Late', 'Later']) open(title);
      await services.round();
      await services.store.outbox.forget(place(engine), ids);
      services.pass(60_001);
      await services.deliver();
    }
    expect(services.shown(engine)).toEqual(Array(2).fill(expect.stringContaining('2 more updates')));
  });

  it('waits if the forge cannot say who may see the repository', async () => {
    await follow(engine);
    open('One');
    await services.poll();
    services.pass(61_000);
    for (const status of [503, 403]) {
      services.forge.faults.clear();
      services.forge.faults.add({ trouble: { status }, times: 10_000 });
      expect(await services.jobs.steps.deliver(place(engine))).toBe(10_000);
      services.pass(3_600_000);
    }
    expect(await services.jobs.steps.deliver(place(engine))).toBe(10_000);
    services.forge.faults.clear();
    services.pass(60_000);
    await services.deliver();
    expect(titles(engine)).toEqual(['One']);
  });
});

describe('delivery without the history scopes', () => {
  const services = useFeed({ historyScopes: false, tempo: { confirmMs: 1 } });

  it('posts again what may have been lost, and says for as long as the card exists that it may be a repeat', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    services.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    services.pass(1_000);
    const { index } = services.forge.world.openIssue({ as: 'grace', repo, title: 'One' });
    await services.round();
    const cards = () => services.slack.state.messages(engine).map(({ blocks }) => JSON.stringify(blocks));
    expect(cards()[0]).not.toContain('may be a repeat');
    expect(cards()[1]).toContain('may be a repeat');
    expect(services.counts.get('repeated')).toBe(1);
    services.pass(1_000);
    services.forge.world.close({ as: 'ada', repo, index });
    await services.round();
    expect(cards()[1]).toContain('Closed');
    expect(cards()[1]).toContain('may be a repeat');
  });
});

describe('a digest', () => {
  const services = useFeed({ policy: 'feed: { digestAbove: 5 }', tempo: { confirmMs: 1 } });

  it('that was begun is dropped if it may no longer be shown', async () => {
    const place = { team: services.slack.teamId, channel: engine };
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    for (let at = 0; at < 6; at++) services.forge.world.openIssue({ as: 'grace', repo, title: `Secret ${at}` });
    services.pass(1_000);
    await services.poll();
    services.slack.faults.next('chat.postMessage', { kind: 'drop' });
    await services.jobs.steps.deliver(place);
    expect(await services.store.outbox.view(place)).toMatchObject({ size: 6, intent: { entries: { length: 6 } } });
    services.forge.world.setPrivate({ repo, private: true });
    services.pass(61_000);
    await services.deliver();
    expect(services.shown(engine)).toEqual([expect.stringContaining('acme/engine is private now')]);
    const [sub] = await services.store.subscriptions.inChannel(place);
    expect(sub?.paused?.reason).toContain('The repository is private');
  });
});
