import { describe, expect, it } from 'vitest';
import { PostError } from '../../../src/feed/ports.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { events } from '../../feed/samples/events.js';
import { room, useDelivery } from './scene.js';

const scene = useDelivery();
/** Slack accepts it, or not, and the answer never arrives. */
const lose = (how: 'lost' | 'dropped', times = 1) => {
  let left = times;
  scene.world.answer = () => {
    left -= 1;
    if (left < 0) return undefined;
    return how === 'lost' ? 'lost' : new PostError('unknown', 'timeout');
  };
};

describe('a post with an unknown outcome', () => {
  it('is looked for only after Slack had time to show it', async () => {
    await scene.open('One');
    await scene.at.store.outbox.view(room);
    const lease = scene.at.store.outbox.lease(room);
    const token = await lease.acquire(60_000);
    if (token === undefined) throw new Error('nobody else holds it');
    await scene.at.store.outbox.begin(room, token, { id: 'e-One', entries: ['e-One'], note: { kind: 'post' } }, 10_000);
    await lease.release(token);
    scene.at.pass(1_000);
    expect(await scene.deliver()).toBe(2_000);
    expect(scene.asked).toEqual([]);
    scene.at.pass(2_000);
    await scene.deliver();
    expect(scene.asked).toMatchObject([{ id: 'e-One', since: scene.at.now() - 3_000 }]);
  });

  it('that was posted is not posted again', async () => {
    await scene.open('One', 'Two');
    lose('lost');
    await scene.deliverAll();
    expect(scene.posts().map((text) => text.includes('One'))).toEqual([true, false]);
    expect(scene.counts.get('settled')).toBe(1);
    expect(scene.counts.get('repeated')).toBeUndefined();
    expect((await scene.at.store.threads.get(room, 'i-One'))?.ts).toBe('1.0');
  });

  it('that was not posted is posted again, without a remark', async () => {
    await scene.open('One');
    lose('dropped');
    await scene.deliverAll();
    expect(scene.calls.map(({ id }) => id)).toEqual(['e-One', 'e-One']);
    expect(JSON.stringify(scene.calls)).not.toContain('may be a repeat');
    expect(scene.counts.get('settled')).toBe(1);
  });

  it('is looked for in its thread', async () => {
    await scene.put('e1', scene.body(events['issues:opened']));
    await scene.deliverAll();
    await scene.put('e2', scene.body(events['comments:issue']));
    lose('lost');
    await scene.deliverAll();
    expect(scene.asked).toMatchObject([{ id: 'e2', thread: '1.0' }]);
    expect(scene.calls.filter(({ id }) => id === 'e2')).toHaveLength(1);
  });

  it('that nobody may read back is posted as a possible repeat; its card says so from then on', async () => {
    scene.world.unfound = 'unreadable';
    await scene.put('e1', scene.body(events['issues:opened']));
    lose('dropped');
    await scene.deliverAll();
    expect(scene.counts.get('repeated')).toBe(1);
    expect(scene.repeats()).toEqual([false, true]);
    await scene.put('e2', scene.body(events['issues:closed']));
    await scene.deliverAll();
    const drawn = scene.calls.find(({ kind }) => kind === 'update');
    expect(JSON.stringify(drawn?.message)).toContain('may be a repeat');
  });

  it.each(['message', 'unlisted'] as const)(
    'that nobody may read back stays a possible repeat in every form Slack then wants (%s)',
    async (kind) => {
      scene.world.unfound = 'unreadable';
      await scene.open('One');
      let calls = 0;
      scene.world.answer = () => {
        calls += 1;
        if (calls === 1) return new PostError('unknown', 'timeout');
        return calls < 6 ? new PostError(kind, 'odd') : undefined;
      };
      await scene.deliverAll();
      expect(scene.repeats()).toEqual([false, ...scene.calls.slice(1).map(() => true)]);
      expect(scene.calls.at(-1)?.message.blocks).toEqual([]);
      await scene.open('Two');
      await scene.deliverAll();
      expect(scene.repeats().at(-1)).toBe(false);
    },
  );

  it.each(['gone', 'channel', 'token'] as const)(
    'that nobody may read back stays a possible repeat after another refusal (%s)',
    async (kind) => {
      scene.world.unfound = 'unreadable';
      await scene.open('One');
      const answers = [new PostError('unknown', 'timeout'), new PostError(kind, 'odd')];
      scene.world.answer = () => answers.shift();
      scene.at.pass((await scene.deliver()) ?? 0);
      await scene.deliver();
      await scene.at.store.outbox.resume(room);
      await scene.at.store.lostChannels.forget(room);
      await scene.deliverAll();
      expect(scene.repeats()).toEqual([false, true, true]);
    },
  );

  it('is copied three times at most if nobody may read back, and once more when the channel accepts messages', async () => {
    scene.world.unfound = 'unreadable';
    await scene.open('One', 'Two');
    scene.world.answer = ({ id }) => (id === 'e-One' ? 'lost' : undefined);
    await scene.deliverAll();
    const thrice = ['e-One', 'e-One', 'e-One'];
    expect(scene.calls.map(({ id }) => id)).toEqual([...thrice, 'e-Two', 'e-One']);
    expect(scene.repeats()).toEqual([false, true, true, false, true]);
    expect(await scene.at.store.outbox.asideIn(room)).toEqual([
      expect.not.objectContaining({ retryAt: expect.anything() }),
    ]);
  });

  it('marks no other message of its channel', async () => {
    await scene.open('One', 'Two');
    const [, two] = (await scene.view()).entries;
    const token = await scene.at.store.outbox.lease(room).acquire(60_000);
    if (!two || token === undefined) throw new Error('nobody else holds it');
    await scene.at.store.outbox.begin(room, token, { id: 'd1', entries: [two.id] }, 10_000);
    await scene.at.store.outbox.again(room, token, 'd1', { posted: [two] });
    await scene.at.store.outbox.lease(room).release(token);
    await scene.deliverAll();
    expect(scene.repeats()).toEqual([false, true]);
  });

  it('is no repeat where the card turned up: it is redrawn', async () => {
    scene.world.unfound = 'unreadable';
    await scene.put('m1', { type: 'message', card: 'c1', message: say(md`one`) }, room, 'c1');
    lose('dropped', 2);
    for (const _ of ['posted', 'posted again']) scene.at.pass((await scene.deliver()) ?? 0);
    await scene.at.store.threads.put(room, { item: 'c1', ts: '9.0' });
    await scene.deliverAll();
    expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'post', 'update']);
    expect(scene.repeats()).toEqual([false, true, false]);
  });

  it('of a redrawn card is simply redrawn', async () => {
    const card = (text: string) => ({ type: 'message', card: 'c1', message: say(md`${text}`) }) as const;
    await scene.put('m1', card('one'), room, 'c1');
    await scene.deliverAll();
    await scene.put('m2', card('two'), room, 'c1');
    lose('lost');
    await scene.deliverAll();
    expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'update', 'update']);
    expect(scene.asked).toEqual([]);
    expect(scene.counts.get('settled')).toBeUndefined();
  });

  it('stays on record when Slack asks to wait', async () => {
    await scene.open('One');
    lose('dropped');
    scene.at.pass((await scene.deliver()) ?? 0);
    scene.world.answer = () => new PostError('limited', 'ratelimited', 50);
    expect(await scene.deliver()).toBe(50);
    expect((await scene.view()).intent).toMatchObject({ id: 'e-One' });
  });

  it('of removed entries is removed with them', async () => {
    await scene.open('One', 'Two');
    lose('dropped');
    scene.at.pass((await scene.deliver()) ?? 0);
    const slot = `bellows:{f0:channel:${room.team}:${room.channel}}`;
    await scene.at.redis.zrem(`${slot}:order`, 'e-One');
    await scene.at.redis.hdel(`${slot}:entries`, 'e-One');
    await scene.deliverAll();
    expect(scene.calls.map(({ id }) => id)).toEqual(['e-One', 'e-Two']);
    expect((await scene.view()).intent).toBeUndefined();
  });

  it('is resolved by nobody who lost the outbox', async () => {
    await scene.open('One');
    lose('dropped');
    scene.at.pass((await scene.deliver()) ?? 0);
    const key = `bellows:{f0:channel:${room.team}:${room.channel}}:lease`;
    const { find } = scene.deps.poster;
    Object.assign(scene.deps.poster, {
      find: async (...given: Parameters<typeof find>) => {
        await scene.at.redis.set(key, 'somebody else');
        return find(...given);
      },
    });
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls).toHaveLength(1);
    Object.assign(scene.deps.poster, { find });
  });
});
