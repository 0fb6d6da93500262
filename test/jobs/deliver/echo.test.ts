import { describe, expect, it } from 'vitest';
import { events } from '../../feed/samples/events.js';
import { room, useDelivery } from './scene.js';

const scene = useDelivery({ policy: 'feed:\n  digestAbove: 5\n' });
const said = (comment: number) => ({ ...events['comments:issue'], id: `c${comment}`, comment });
const put = (comment: number, place = room) => scene.put(`c${comment}`, scene.body(said(comment)), place);
const thread = events['comments:issue'].item.thread ?? '';
const replied = (comment: number) =>
  scene.at.store.replies.keep(room, `${comment}.0`, {
    comment,
    owner: 'acme',
    repo: 'engine',
    user: 'U1',
    login: 'ada',
  });

describe('a comment from a reply in this thread', () => {
  it('is not posted there again', async () => {
    await replied(7);
    await put(7);
    await scene.deliver();
    expect(scene.calls).toEqual([]);
    expect((await scene.view()).size).toBe(0);
  });

  it('is posted in every other channel', async () => {
    await replied(7);
    const other = { ...room, channel: 'C0OTHER001' };
    await put(7, other);
    await scene.deliver(other);
    expect(scene.calls).toHaveLength(1);
  });

  it('is left out of a digest, the others stay in it', async () => {
    await replied(7);
    for (const comment of [1, 2, 3, 7, 4, 5, 6]) await put(comment);
    await scene.deliver();
    expect(scene.calls).toMatchObject([{ kind: 'post', id: expect.stringContaining('digest:') }]);
    expect(scene.calls[0]?.message.text).toContain('6');
    expect((await scene.view()).size).toBe(0);
  });

  it('is recognized beside a muted repository too', async () => {
    await replied(7);
    const lane = { ...room, lane: 12 };
    await put(7, lane);
    await scene.deliver(lane);
    expect(scene.calls).toEqual([]);
  });

  it('waits while a reply is being sent, since it may be that one', async () => {
    await scene.at.store.replies.begin(room, thread, 'U1');
    await put(9);
    await scene.deliver();
    expect(scene.calls).toEqual([]);
    expect((await scene.view()).size).toBe(1);
  });

  it('without an id is nobody’s reply', async () => {
    await scene.at.store.replies.begin(room, thread, 'U1');
    await scene.put('e21', scene.body(events['comments:issue']));
    await scene.deliver();
    expect(scene.calls).toHaveLength(1);
  });
});

describe('a deed that an answer in its thread already tells', () => {
  it('is not posted there again, and its card shows it', async () => {
    await scene.put('e1', scene.body(events['issues:opened']));
    await scene.deliver();
    const closed = { ...events['issues:closed'], at: new Date(scene.at.now()).toISOString() };
    await scene.at.store.replies.say(room, thread, closed.actor?.login ?? '', 'issue close');
    await scene.put('e2', scene.body(closed));
    await scene.deliver();
    expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'update']);
    expect(JSON.stringify(scene.calls.at(-1)?.message)).toContain('Closed');
  });
});
