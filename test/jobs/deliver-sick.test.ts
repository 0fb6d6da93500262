import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';
type Args = Readonly<Record<string, unknown>>;

const about = (title: string) => (args: Args) => JSON.stringify(args).includes(title);
const withBlocks = (args: Args) => args['blocks'] !== undefined;

describe('a message that Slack does not take', () => {
  const house = useFeed({ tempo: { settleMs: 3_000 } });
  const place = () => ({ team: house.slack.teamId, channel: engine });
  const open = (title: string) => {
    house.pass(1_000);
    return house.forge.world.openIssue({ as: 'grace', repo, title }).index;
  };
  const follow = async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
  };
  const tries = (title: string) =>
    house.slack.calls.of('chat.postMessage').filter(({ args }) => about(title)(args)).length;

  it.each([
    ['an HTTP 500', { kind: 'status', status: 500 }],
    ['internal_error', { kind: 'error', error: 'internal_error' }],
    ['an error that is not known', { kind: 'error', error: 'external_channel_migrating' }],
  ] as const)('(%s) is tried a few times, in other forms, and set aside; the rest goes on', async (_name, fault) => {
    await follow();
    const index = open('Sick');
    open('Well');
    house.slack.faults.next(
      'chat.postMessage',
      fault,
      1_000,
      (args) => JSON.stringify(args).includes(`issues/${index}`) || about('Sick')(args),
    );
    const before = house.now();
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('Well')]);
    expect(house.now() - before).toBeLessThan(5 * 60_000);
    expect(house.slack.calls.of('chat.postMessage').length).toBeLessThanOrEqual(14);
    expect((await house.store.outbox.view(place())).aside).toBe(1);
    expect(house.counts.get('aside')).toBeGreaterThanOrEqual(1);
  });

  it('comes in plain words where its blocks are the trouble', async () => {
    await follow();
    open('Sick');
    house.slack.faults.next('chat.postMessage', { kind: 'status', status: 500 }, 1_000, withBlocks);
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('Sick')]);
    expect(house.slack.state.messages(engine)[0]?.blocks).toEqual([]);
  });

  it('comes as a link where its words are the trouble too', async () => {
    await follow();
    const index = open('Sick');
    house.slack.faults.next('chat.postMessage', { kind: 'error', error: 'invalid_blocks' }, 1_000, about('Sick'));
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining(`issues/${index}`)]);
    expect(tries('Sick')).toBe(2);
  });

  it('waits longer and longer, and says so, while Slack gives an answer that is not known', async () => {
    await follow();
    open('One');
    house.slack.faults.next('chat.postMessage', { kind: 'error', error: 'accesslimited' }, 2);
    await house.poll();
    expect(await house.jobs.steps.deliver(place())).toBe(3_000);
    const { trouble, size } = await house.store.outbox.view(place());
    expect({ code: trouble?.code, size }).toEqual({ code: 'accesslimited', size: 1 });
    house.pass(3_000);
    expect(await house.jobs.steps.deliver(place())).toBe(6_000);
    house.pass(6_000);
    await house.deliver();
    expect(house.shown(engine)).toEqual([expect.stringContaining('One')]);
    expect((await house.store.outbox.view(place())).trouble).toBeUndefined();
  });

  it('is tried once more when the channel takes messages again', async () => {
    await follow();
    open('One');
    house.slack.faults.next('chat.postMessage', { kind: 'error', error: 'external_channel_migrating' }, 1_000);
    await house.round();
    expect((await house.store.outbox.view(place())).aside).toBe(1);
    house.slack.faults.clear();
    open('Two');
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('Two'), expect.stringContaining('One')]);
    expect((await house.store.outbox.view(place())).aside).toBe(0);
  });

  it('waits in its order while all of Slack is away', async () => {
    await follow();
    for (const title of ['One', 'Two']) open(title);
    house.slack.faults.next('*', { kind: 'status', status: 503 }, 60);
    await house.poll();
    await house.deliver();
    await house.deliver();
    house.slack.faults.clear();
    house.pass(60_000);
    await house.deliver();
    expect(house.shown(engine)).toEqual([expect.stringContaining('One'), expect.stringContaining('Two')]);
  });
});

describe('copies where history cannot be read', () => {
  const house = useFeed({ historyScopes: false, tempo: { settleMs: 3_000 } });

  it('come to an end', async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
    house.slack.faults.next('chat.postMessage', { kind: 'lost', how: 'status' }, 1_000, about('Sick'));
    for (const title of ['Sick', 'Well']) {
      house.pass(1_000);
      house.forge.world.openIssue({ as: 'grace', repo, title });
    }
    await house.round();
    const shown = house.shown(engine);
    expect(shown.filter((text) => text.includes('Sick')).length).toBeLessThanOrEqual(3);
    expect(shown.at(-1)).toContain('Well');
  });
});
