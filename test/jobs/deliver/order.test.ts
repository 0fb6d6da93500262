import { describe, expect, it } from 'vitest';
import { subscriptionId } from '../../../src/store/index.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { events } from '../../feed/samples/events.js';
import { room, useDelivery } from './scene.js';

describe('an outbox', () => {
  const scene = useDelivery();
  const said = () => scene.calls.map(({ id }) => id);

  it('is drained in order, and then rests', async () => {
    await scene.open('One', 'Two', 'Three');
    expect(await scene.deliver()).toBeUndefined();
    expect(said()).toEqual(['e-One', 'e-Two', 'e-Three']);
    expect(scene.counts.get('posts')).toBe(3);
    expect((await scene.view()).size).toBe(0);
    expect(await scene.at.store.outbox.pending()).toEqual([]);
    expect(await scene.at.store.decisions.ofMessage(room, '1.0')).toEqual([
      { address: expect.stringContaining('7-One'), event: 'e-One' },
    ]);
  });

  it('is not drained while it is paused, nor while Slack asked to wait', async () => {
    await scene.open('One');
    await scene.at.store.outbox.pause(room, 'muted', scene.at.now() + 1_000);
    expect(await scene.deliver()).toBeUndefined();
    expect(said()).toEqual([]);
    await scene.at.store.outbox.resume(room);
    await scene.at.store.outbox.wait(room, scene.at.now() + 700);
    expect(await scene.deliver()).toBe(700);
    expect(said()).toEqual([]);
    scene.at.pass(700);
    await scene.deliver();
    expect(said()).toEqual(['e-One']);
  });

  it('is drained by one worker at a time', async () => {
    await scene.open('One');
    const lease = scene.at.store.outbox.lease(room);
    const token = await lease.acquire(10_000);
    expect(await scene.deliver()).toBeUndefined();
    expect(said()).toEqual([]);
    if (token !== undefined) await lease.release(token);
    await scene.deliver();
    expect(said()).toEqual(['e-One']);
    expect(await lease.acquire(1_000)).toBeDefined();
  });

  it.each(['e-One', 'e-Two'])('is left alone by a worker that lost it before %s', async (lost) => {
    await scene.open('One', 'Two');
    const key = `bellows:{f0:channel:${room.team}:${room.channel}}:lease`;
    scene.world.answer = ({ id }) => {
      if (id === lost) void scene.at.redis.set(key, 'somebody else');
      return undefined;
    };
    expect(await scene.deliver()).toBeUndefined();
    expect(said()).toEqual(lost === 'e-One' ? ['e-One'] : ['e-One', 'e-Two']);
    expect((await scene.view()).intent).toMatchObject({ id: lost });
  });

  it.each(['withdrawn', 'lost'])('posts nothing that was %s while it was checked', async (how) => {
    const body = scene.body(events['issues:opened'], { subscription: subscriptionId(await scene.subscribe()) });
    await scene.put('e-One', body);
    const { channel } = scene.deps.slack;
    Object.assign(scene.deps.slack, {
      channel: async (...given: Parameters<typeof channel>) => {
        if (how === 'withdrawn') await scene.at.store.outbox.forget(room, ['e-One']);
        else await scene.at.redis.set(`bellows:{f0:channel:${room.team}:${room.channel}}:lease`, 'another worker');
        return channel(...given);
      },
    });
    await scene.deliver();
    expect(scene.calls).toEqual([]);
  });

  it('drops what nobody can read, and continues', async () => {
    const slot = `bellows:{f0:channel:${room.team}:${room.channel}}`;
    await scene.at.redis.zadd(`${slot}:order`, 0, 'mine');
    await scene.at.redis.hset(`${slot}:entries`, 'mine', '{"v":1}');
    await scene.open('One');
    await scene.deliver();
    expect(said()).toEqual(['e-One']);
    expect(await scene.at.redis.hkeys(`${slot}:entries`)).toEqual([]);
  });

  it('beside a channel posts into that channel', async () => {
    const lane = { ...room, lane: 12 };
    await scene.put('m1', { type: 'message', message: say(md`Hello`) }, lane);
    await scene.deliver(lane);
    expect(scene.calls).toMatchObject([{ channel: room.channel, id: 'm1' }]);
    expect(await scene.at.store.outbox.pending()).toEqual([]);
  });
});

describe('Slack’s rate limit', () => {
  // Redis keeps the time here, so it does not stand still
  const slow = { intervalMs: 600_000, burst: 1 };
  const long = expect.toSatisfy((ms: number) => ms > 500_000 && ms <= 600_000);

  describe('of a channel', () => {
    const scene = useDelivery({ tempo: { posts: { channel: slow, team: { intervalMs: 1, burst: 9 } } } });

    it('lets one through and says how long the next has to wait; another channel does not wait', async () => {
      await scene.open('One', 'Two');
      expect(await scene.deliver()).toEqual(long);
      expect(scene.calls).toHaveLength(1);
      const other = { ...room, channel: 'C0OTHER001' };
      await scene.put('m1', { type: 'message', message: say(md`Hello`) }, other);
      await scene.deliver(other);
      expect(scene.calls).toHaveLength(2);
    });
  });

  describe('of a workspace', () => {
    const scene = useDelivery({ tempo: { posts: { team: slow, channel: { intervalMs: 1, burst: 9 } } } });

    it('holds every channel', async () => {
      await scene.open('One');
      await scene.deliver();
      const other = { ...room, channel: 'C0OTHER001' };
      await scene.put('m1', { type: 'message', message: say(md`Hello`) }, other);
      expect(await scene.deliver(other)).toEqual(long);
      expect(scene.calls).toHaveLength(1);
    });
  });

  describe('of redrawn cards', () => {
    const scene = useDelivery({
      tempo: { updates: slow, posts: { team: slow, channel: { intervalMs: 1, burst: 9 } } },
    });

    it('is separate', async () => {
      const card = (text: string) => ({ type: 'message', card: 'c1', message: say(md`${text}`) }) as const;
      await scene.put('m1', card('one'), room, 'c1');
      await scene.deliver();
      await scene.put('m2', card('two'), room, 'c1');
      expect(await scene.deliver()).toBeUndefined();
      await scene.put('m3', card('three'), room, 'c1');
      expect(await scene.deliver()).toEqual(long);
      expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'update']);
    });
  });
});
