import { describe, expect, it } from 'vitest';
import { mute } from '../../src/feed/lanes.js';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';
const repo = 'acme/engine';

describe('delivery', () => {
  const house = useFeed({ tempo: { settleMs: 1 } });
  const place = (channel: string) => ({ team: house.slack.teamId, channel });
  const open = (title: string) => {
    house.pass(1_000);
    return house.forge.world.openIssue({ as: 'grace', repo, title }).index;
  };
  const follow = async (...channels: readonly string[]) => {
    for (const channel of channels) await house.subscribe(channel, repo, 'issues comments');
    await house.round();
  };
  const titles = (channel: string) => house.shown(channel).map((text) => text.replace(/^.*#\d+ /, ''));
  const dms = () =>
    [...house.slack.state.channels.values()].filter(({ kind }) => kind === 'im').flatMap(({ id }) => house.shown(id));
  const paused = async (channel: string) =>
    (await house.store.subscriptions.inChannel(place(channel))).map((sub) => sub.paused?.reason);

  it('keeps the order of the forge', async () => {
    await follow(engine);
    for (const title of ['One', 'Two', 'Three']) open(title);
    await house.round();
    expect(titles(engine)).toEqual(['One', 'Two', 'Three']);
  });

  it.each(['drop', 'status'] as const)(
    'posts once though the answer was lost (%s)',
    { timeout: 20_000 },
    async (how) => {
      await follow(engine);
      house.slack.faults.next('chat.postMessage', { kind: 'lost', how });
      open('One');
      open('Two');
      await house.round();
      expect(titles(engine)).toEqual(['One', 'Two']);
      expect(house.counts.get('settled')).toBe(1);
      expect(house.counts.get('repeated')).toBeUndefined();
    },
  );

  it('posts what never arrived, and finds a reply in its thread', async () => {
    await follow(engine);
    house.slack.faults.next('chat.postMessage', { kind: 'drop' });
    const index = open('One');
    await house.round();
    house.pass(1_000);
    house.forge.world.comment({ as: 'ada', repo, index, body: 'hm' });
    house.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    await house.round();
    expect(titles(engine)).toEqual(['One']);
    expect(house.replies(engine, house.slack.state.messages(engine)[0]?.ts)).toHaveLength(1);
  });

  it('makes one channel wait when Slack asks for patience, not the others', async () => {
    await follow(engine, general);
    house.slack.faults.next(
      'chat.postMessage',
      { kind: 'ratelimited', retryAfter: 2 },
      1,
      ({ channel }) => channel === engine,
    );
    open('One');
    await house.poll();
    await house.jobs.steps.deliver(place(general));
    const wait = await house.jobs.steps.deliver(place(engine));
    expect(titles(general)).toEqual(['One']);
    expect(titles(engine)).toEqual([]);
    expect(wait).toBe(2_000);
    expect(house.slack.calls.of('chat.postMessage')).toHaveLength(2);
  });

  it.each([
    ['is_archived', 'The channel is archived.'],
    ['not_in_channel', 'The bot is not in the channel. Invite it with /invite.'],
  ])('holds everything on %s and tells its owner', async (error, words) => {
    await follow(engine);
    house.slack.faults.next('chat.postMessage', { kind: 'error', error }, 1, ({ channel }) => channel === engine);
    open('One');
    await house.round();
    await house.deliver();
    expect(await paused(engine)).toEqual([undefined]);
    expect(dms()).toEqual([expect.stringContaining(words)]);
    expect(await house.store.outbox.view(place(engine))).toMatchObject({ size: 1, pause: { reason: words } });
  });

  it('posts plain words where Slack refuses the blocks', async () => {
    await follow(engine);
    house.slack.faults.next('chat.postMessage', { kind: 'error', error: 'invalid_blocks' });
    open('One');
    await house.round();
    expect(titles(engine)).toEqual(['One']);
    expect(house.slack.state.messages(engine)[0]?.blocks).toEqual([]);
  });

  it('starts a new thread where the old one is gone', async () => {
    await follow(engine);
    const index = open('One');
    await house.round();
    house.slack.faults.next('chat.postMessage', { kind: 'error', error: 'thread_not_found' });
    house.pass(1_000);
    house.forge.world.comment({ as: 'ada', repo, index, body: 'hm' });
    await house.round();
    expect(house.shown(engine)).toHaveLength(2);
  });

  it('draws a card again once, however much happened meanwhile', async () => {
    await follow(engine);
    const index = open('One');
    await house.round();
    for (let times = 0; times < 3; times++) {
      house.pass(1_000);
      house.forge.world.close({ as: 'ada', repo, index });
      house.pass(1_000);
      house.forge.world.reopen({ as: 'ada', repo, index });
    }
    house.pass(1_000);
    house.forge.world.close({ as: 'ada', repo, index });
    await house.round();
    expect(house.slack.calls.of('chat.update')).toHaveLength(1);
    expect(JSON.stringify(house.slack.state.messages(engine)[0]?.blocks)).toContain('Closed');
    expect(house.replies(engine, house.slack.state.messages(engine)[0]?.ts)).toHaveLength(7);
  });

  it('withholds what became private, pauses and tells the channel and the owner', async () => {
    await follow(engine);
    open('Secret plan');
    await house.poll();
    house.forge.world.setPrivate({ repo, private: true });
    house.pass(61_000);
    await house.deliver();
    await house.deliver();
    expect(house.shown(engine)).toEqual([expect.stringContaining('acme/engine is private now')]);
    expect(await paused(engine)).toEqual([expect.stringContaining('The repository is private')]);
    expect(dms()).toHaveLength(1);
    expect(dms().join()).not.toContain('Secret plan');
  });

  it('withholds where the channel was shared with another organisation', async () => {
    await follow(engine);
    void house.slack.happens.share(engine, 'T0OTHER001');
    house.pass(61_000);
    open('One');
    await house.round();
    expect(titles(engine)).toEqual([]);
    const { pause } = await house.store.outbox.view(place(engine));
    expect(pause?.reason).toContain('another organisation');
  });

  it('makes digests of a thousand events, in few calls and with none lost', { timeout: 60_000 }, async () => {
    await follow(engine);
    const before = house.slack.calls.filter(() => true).length;
    const wanted = Array.from(
      { length: 1_000 },
      (_, at) => house.forge.world.openIssue({ as: 'grace', repo, title: `Burst ${at}` }).index,
    );
    await house.round();
    const calls = house.slack.calls.filter(() => true).length - before;
    const text = JSON.stringify(house.slack.state.messages(engine).map(({ blocks }) => blocks));
    const told = [...text.matchAll(/\/issues\/(\d+)\|/g)].map(([, number]) => Number(number));
    expect(told).toEqual(wanted);
    expect(calls).toBeLessThanOrEqual(60);
  });

  it('gives up a digest that was begun where it may not be shown any more', async () => {
    await follow(engine);
    for (let at = 0; at < 31; at++) open(`Secret ${at}`);
    await house.poll();
    house.slack.faults.next('chat.postMessage', { kind: 'drop' });
    await house.jobs.steps.deliver(place(engine));
    house.forge.world.setPrivate({ repo, private: true });
    house.pass(61_000);
    await house.deliver();
    expect(house.shown(engine)).toEqual([expect.stringContaining('acme/engine is private now')]);
    expect(await paused(engine)).toEqual([expect.stringContaining('The repository is private')]);
  });

  it('waits for a Slack that cannot say what kind of channel it is', async () => {
    await follow(engine);
    open('One');
    await house.poll();
    house.pass(61_000);
    house.slack.faults.next('conversations.info', { kind: 'status', status: 503 });
    expect(await house.jobs.steps.deliver(place(engine))).toBe(10_000);
    await house.deliver();
    expect(titles(engine)).toEqual(['One']);
  });

  it('is quiet while a repository is muted, and tells it in one digest afterwards', async () => {
    await follow(engine);
    const { id } = await house.service.repos.get({ owner: 'acme', repo: 'engine' });
    await mute(house.store, place(engine), house.now() + 3_600_000, id);
    open('One');
    open('Two');
    await house.round();
    expect(titles(engine)).toEqual([]);
    house.pass(3_600_001);
    await house.deliver();
    expect(house.shown(engine)).toEqual(['2 things in acme/engine']);
  });

  it('keeps what waits while a channel is muted', async () => {
    await follow(engine);
    await mute(house.store, place(engine), house.now() + 3_600_000);
    open('One');
    open('Two');
    await house.round();
    expect(titles(engine)).toEqual([]);
    house.pass(3_600_001);
    await house.deliver();
    expect(house.shown(engine)).toEqual(['2 things in acme/engine']);
  });

  it('waits for a forge that cannot say who may see the repository', async () => {
    await follow(engine);
    open('One');
    await house.poll();
    house.pass(61_000);
    house.forge.faults.add({ trouble: { status: 503 }, times: 1_000 });
    expect(await house.jobs.steps.deliver(place(engine))).toBe(10_000);
    house.forge.faults.clear();
    house.pass(60_000);
    await house.deliver();
    expect(titles(engine)).toEqual(['One']);
  });
});

describe('delivery without the history scopes', () => {
  const house = useFeed({ historyScopes: false, tempo: { settleMs: 1 } });

  it('posts again what may have been lost, and says that it may be a repeat', async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
    house.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    house.pass(1_000);
    house.forge.world.openIssue({ as: 'grace', repo, title: 'One' });
    await house.round();
    const [first, second] = house.slack.state.messages(engine).map(({ blocks }) => JSON.stringify(blocks));
    expect(first).not.toContain('may be a repeat');
    expect(second).toContain('may be a repeat');
    expect(house.counts.get('repeated')).toBe(1);
  });

  it('says so as long as the card stands', async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
    house.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'drop' });
    house.pass(1_000);
    const { index } = house.forge.world.openIssue({ as: 'grace', repo, title: 'One' });
    await house.round();
    house.pass(1_000);
    house.forge.world.close({ as: 'ada', repo, index });
    await house.round();
    const [, second] = house.slack.state.messages(engine).map(({ blocks }) => JSON.stringify(blocks));
    expect(second).toContain('Closed');
    expect(second).toContain('may be a repeat');
  });
});
