import { describe, expect, it } from 'vitest';
import { PostError, type PostFailure } from '../../../src/feed/ports.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { events } from '../../feed/samples/events.js';
import { owner, room, useDelivery } from './scene.js';

const scene = useDelivery();
const fail = (kind: PostFailure, code: string, only?: string, times = Number.POSITIVE_INFINITY) => {
  let left = times;
  scene.world.answer = ({ id }) => {
    if ((only !== undefined && id !== only) || left <= 0) return undefined;
    left -= 1;
    return new PostError(kind, code, kind === 'limited' ? 60_000 : 0);
  };
};
const said = () => scene.calls.map(({ id, message }) => [id, message.blocks.length > 0 ? 'blocks' : 'plain']);
const aside = async () =>
  (await scene.at.store.outbox.asideIn(room)).map(({ id, code, retryAt }) => [id, code, retryAt !== undefined]);

describe('a post that Slack', () => {
  it('asks to wait for waits that long, and nothing else is sent until then', async () => {
    await scene.open('One');
    fail('limited', 'ratelimited', undefined, 1);
    expect(await scene.deliver()).toBe(60_000);
    expect(await scene.view()).toMatchObject({ size: 1, notBefore: scene.at.now() + 60_000 });
    expect((await scene.view()).intent).toBeUndefined();
    scene.at.pass(1_000);
    expect(await scene.deliver()).toBe(59_000);
    expect(scene.calls).toHaveLength(1);
    scene.at.pass(59_000);
    // by Redis' own time the channel is still waiting, whichever worker asks
    expect(await scene.deliver()).toBeGreaterThan(0);
    expect(scene.calls).toHaveLength(1);
  });

  it('asks to wait for without a time waits a moment', async () => {
    await scene.open('One');
    scene.world.answer = () => new PostError('limited', 'ratelimited');
    expect(await scene.deliver()).toBe(1);
  });

  it('refuses in this form is sent plain at once, and then as a link', async () => {
    await scene.open('One');
    fail('message', 'invalid_blocks', undefined, 2);
    expect(await scene.deliver()).toBeUndefined();
    expect(said()).toEqual([
      ['e-One', 'blocks'],
      ['e-One', 'plain'],
      ['e-One', 'plain'],
    ]);
    expect(scene.posts()).toEqual([expect.stringContaining('issues/7-One')]);
    expect((await scene.view()).trouble).toBeUndefined();
  });

  it('refuses in every form is set aside for good; the others continue', async () => {
    await scene.open('One', 'Two');
    fail('message', 'invalid_blocks', 'e-One');
    await scene.deliver();
    expect(scene.calls.map(({ id }) => id)).toEqual(['e-One', 'e-One', 'e-One', 'e-Two']);
    expect(await aside()).toEqual([['e-One', 'invalid_blocks', false]]);
    expect(scene.counts.get('aside')).toBe(1);
    expect((await scene.view()).size).toBe(0);
  });

  it('refuses for an unknown reason is retried less and less often, and logged', async () => {
    await scene.open('One');
    fail('unlisted', 'accesslimited');
    const since = scene.at.now();
    for (const [count, wait] of [3_000, 6_000, 12_000, 24_000, 48_000].entries()) {
      expect(await scene.deliver()).toBe(wait);
      const { trouble, intent } = await scene.view();
      expect({ trouble, intent }).toEqual({
        trouble: expect.objectContaining({ id: 'e-One', count: count + 1, since, code: 'accesslimited' }),
        intent: undefined,
      });
      scene.at.pass(wait);
    }
    expect(said().map(([, form]) => form)).toEqual(['blocks', 'blocks', 'blocks', 'plain', 'plain']);
    expect(await scene.deliver()).toBeUndefined();
    expect(await aside()).toEqual([['e-One', 'accesslimited', true]]);
  });

  it('did not take is tried once more when the channel accepts another', async () => {
    await scene.open('One');
    fail('unlisted', 'migrating', 'e-One', 6);
    for (let wait = await scene.deliver(); wait !== undefined; wait = await scene.deliver()) scene.at.pass(wait);
    expect(await aside()).toEqual([['e-One', 'migrating', true]]);
    await scene.open('Two');
    await scene.deliver();
    expect(scene.calls.slice(-2).map(({ id }) => id)).toEqual(['e-Two', 'e-One']);
    expect(await aside()).toEqual([]);
  });

  it('did not take again is set aside after one try, and tried again by itself, in its old place', async () => {
    await scene.open('One');
    fail('unlisted', 'migrating');
    for (let wait = await scene.deliver(); wait !== undefined; wait = await scene.deliver()) scene.at.pass(wait);
    fail('unlisted', 'migrating', 'e-One');
    await scene.open('Two');
    for (let wait = await scene.deliver(); wait !== undefined; wait = await scene.deliver()) scene.at.pass(wait);
    expect(scene.calls.slice(-2).map(({ id }) => id)).toEqual(['e-Two', 'e-One']);
    expect(await aside()).toEqual([['e-One', 'migrating', true]]);
    await scene.open('Three');
    await scene.deliver();
    expect(scene.calls.at(-1)?.id).toBe('e-Three');
    scene.world.answer = () => undefined;
    scene.at.pass(4 * 60_000);
    await scene.open('Four');
    await scene.deliver();
    expect(scene.calls.slice(-2).map(({ id }) => id)).toEqual(['e-One', 'e-Four']);
    expect(await aside()).toEqual([]);
  });

  it('may have taken stays open, and nothing overtakes it', async () => {
    await scene.open('One', 'Two');
    fail('unknown', 'timeout', undefined, 1);
    expect(await scene.deliver()).toBe(3_000);
    expect(await scene.view()).toMatchObject({
      intent: { id: 'e-One', entries: ['e-One'], note: { kind: 'post' } },
      notBefore: scene.at.now() + 3_000,
      trouble: { id: 'e-One', count: 1 },
    });
    expect(scene.calls).toHaveLength(1);
  });

  it('cannot put into a channel makes the channel wait, and its owners are notified', async () => {
    await scene.subscribe();
    await scene.open('One', 'Two');
    fail('channel', 'is_archived');
    expect(await scene.deliver()).toBeUndefined();
    expect(await scene.view()).toMatchObject({ size: 2, pause: { reason: 'The channel is archived.' } });
    expect((await scene.view()).intent).toBeUndefined();
    expect(scene.calls).toHaveLength(1);
    const dm = { ...room, channel: owner };
    expect(JSON.stringify((await scene.view(dm)).entries)).toContain('The channel is archived.');
  });

  it.each(['lostChannels', 'outbox', 'subscriptions'] as const)(
    'cannot put into a channel is not forgotten there if the worker dies on the way (%s)',
    async (which) => {
      await scene.subscribe();
      await scene.open('One');
      fail('channel', 'is_archived');
      const { store } = scene.at;
      const die = async () => {
        throw new Error('Connection is closed.');
      };
      const [note, pause, inChannel] = [store.lostChannels.note, store.outbox.pause, store.subscriptions.inChannel];
      if (which === 'lostChannels') store.lostChannels.note = die;
      if (which === 'outbox') store.outbox.pause = die;
      if (which === 'subscriptions') store.subscriptions.inChannel = die;
      await expect(scene.deliver()).rejects.toThrow('Connection is closed.');
      Object.assign(store.lostChannels, { note });
      Object.assign(store.outbox, { pause });
      Object.assign(store.subscriptions, { inChannel });
      await scene.deliver();
      expect(await store.lostChannels.has(room)).toBe(true);
      expect((await scene.view()).pause?.reason).toBe('The channel is archived.');
      const { entries } = await scene.view({ ...room, channel: owner });
      expect(JSON.stringify(entries)).toContain('The channel is archived.');
      expect(entries).toHaveLength(1);
    },
  );

  it('refuses because of the token waits five minutes', async () => {
    await scene.open('One', 'Two');
    fail('token', 'token_revoked');
    expect(await scene.deliver()).toBeUndefined();
    const { pause, intent, size } = await scene.view();
    expect({ pause, intent, size }).toEqual({
      pause: expect.objectContaining({ until: scene.at.now() + 300_000 }),
      intent: undefined,
      size: 2,
    });
    expect(pause?.reason).toContain('token_revoked');
    expect(scene.calls).toHaveLength(1);
  });

  it('fails for no known reason ends the turn loudly, and stays on record', async () => {
    await scene.open('One');
    scene.world.answer = () => {
      throw new TypeError('a bug');
    };
    await expect(scene.deliver()).rejects.toThrow('a bug');
    expect((await scene.view()).intent).toMatchObject({ id: 'e-One' });
  });
});

describe('a message that Slack refused and that was then withdrawn', () => {
  it('does not change the form of the next one', async () => {
    await scene.open('One');
    fail('unlisted', 'odd');
    for (const _ of ['full', 'full', 'full']) scene.at.pass((await scene.deliver()) ?? 0);
    await scene.at.store.outbox.forget(room, ['e-One']);
    await scene.open('Two');
    scene.world.answer = () => undefined;
    await scene.deliver();
    expect(scene.calls.at(-1)).toMatchObject({ id: 'e-Two' });
    expect(scene.calls.at(-1)?.message.blocks).not.toEqual([]);
  });
});

describe('a deleted thread or card', () => {
  it('makes the reply a card of its own', async () => {
    await scene.put('e1', scene.body(events['issues:opened']));
    await scene.deliver();
    await scene.put('e2', scene.body(events['comments:issue']));
    let first = true;
    scene.world.answer = ({ thread }) => {
      const gone = thread !== undefined && first;
      first &&= !gone;
      return gone ? new PostError('gone', 'thread_not_found') : undefined;
    };
    await scene.deliver();
    expect(scene.calls.map(({ id, thread }) => [id, thread])).toEqual([
      ['e1', undefined],
      ['e2', '1.0'],
      ['e2', undefined],
    ]);
    expect((await scene.at.store.threads.get(room, 'r12-n7'))?.ts).toBe('3.0');
  });

  it('makes a finished reply a message of its own; what follows is not held up', async () => {
    const told = (text: string, more: object) => ({ type: 'message', message: say(md`${text}`), ...more }) as const;
    await scene.put('m1', told('card', { card: 'c1' }), room, 'c1');
    await scene.deliver();
    await scene.put('m2', told('reply', { under: 'c1' }));
    await scene.put('m3', told('next', {}));
    scene.world.answer = ({ thread }) => (thread ? new PostError('gone', 'thread_not_found') : undefined);
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls.map(({ id, thread }) => [id, thread])).toEqual([
      ['m1', undefined],
      ['m2', '1.0'],
      ['m2', undefined],
      ['m3', undefined],
    ]);
    expect(await scene.at.store.threads.get(room, 'c1')).toBeUndefined();
  });

  it('is not redrawn, and forgotten', async () => {
    const card = (text: string) => ({ type: 'message', card: 'c1', message: say(md`${text}`) }) as const;
    await scene.put('m1', card('one'), room, 'c1');
    await scene.deliver();
    await scene.put('m2', card('two'), room, 'c1');
    scene.world.answer = () => new PostError('gone', 'message_not_found');
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'update']);
    expect(await scene.at.store.threads.get(room, 'c1')).toBeUndefined();
    expect((await scene.view()).size).toBe(0);
  });

  it('that Slack does not redraw in three attempts is left as it is', async () => {
    const card = (text: string) => ({ type: 'message', card: 'c1', message: say(md`${text}`) }) as const;
    await scene.put('m1', card('one'), room, 'c1');
    await scene.deliver();
    await scene.put('m2', card('two'), room, 'c1');
    fail('unlisted', 'odd');
    for (let wait = await scene.deliver(); wait !== undefined; wait = await scene.deliver()) scene.at.pass(wait);
    expect(scene.calls).toHaveLength(4);
    expect(await aside()).toEqual([['m2', 'odd', false]]);
  });
});
