import { describe, expect, it } from 'vitest';
import { notify } from '../../../src/chat/notice.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { engine, events, issueNow, pullNow } from '../../feed/samples/events.js';
import { room, useDelivery } from './scene.js';

const scene = useDelivery();
const thread = 'r12-n7';
const card = () => scene.at.store.threads.get(room, thread);
const drawn = () => scene.calls.filter(({ kind }) => kind === 'update');
const opened = async (more: object = {}) => {
  await scene.put('e1', scene.body(events['issues:opened'], more));
  await scene.deliver();
};

describe('the card of an item', () => {
  it('starts its thread; later events are replies and the card is redrawn, once', async () => {
    await opened({ item: issueNow });
    expect(scene.calls).toMatchObject([{ kind: 'post', id: 'e1', thread: undefined }]);
    expect(JSON.stringify(scene.calls[0]?.message)).toContain('<@U0GRACE001>');
    expect(await card()).toMatchObject({
      ts: '1.0',
      about: { event: { id: 'e1' }, style: 'card', standing: { state: 'open' } },
    });
    await scene.put('e2', scene.body(events['comments:issue']));
    await scene.put('e3', scene.body(events['issues:closed']));
    await scene.deliver();
    expect(scene.calls.map(({ kind, id, thread: under, ts }) => [kind, id ?? ts, under])).toEqual([
      ['post', 'e1', undefined],
      ['post', 'e2', '1.0'],
      ['post', 'e3', '1.0'],
      ['update', '1.0', undefined],
    ]);
    expect(JSON.stringify(drawn()[0]?.message)).toContain('Closed');
    expect(scene.counts.get('updates')).toBe(1);
    expect(await card()).toMatchObject({ ts: '1.0', about: { event: { id: 'e1' }, standing: { state: 'closed' } } });
  });

  it('that is a notice waits once, with its latest text', async () => {
    for (const text of ['one', 'two'])
      await notify(scene.at.store, room, `n-${text}`, say(md`Only ${text}`), { card: 'n' });
    await scene.deliver();
    expect(scene.posts()).toEqual(['Only two']);
    expect(drawn()).toEqual([]);
  });

  it('starts no thread if threads are off, or the event has none', async () => {
    await scene.put('e1', scene.body(events['issues:opened'], { threaded: false }));
    await scene.put('e2', scene.body(events['issues:closed'], { threaded: false }));
    await scene.put('e11', scene.body(events['commits:pushed']));
    await scene.deliver();
    expect(scene.calls.map(({ thread: under }) => under)).toEqual([undefined, undefined, undefined]);
    expect(await card()).toBeUndefined();
  });

  it.each([
    ['names who took its review', {}, true],
    ['names nobody once that time is over', { until: 0 }, false],
    ['names nobody whose review is no longer requested', { login: 'linus' }, false],
  ])('%s', async (_what, more, named) => {
    const { repo, item } = events['pulls:opened'];
    const taken = {
      repo: { id: repo.id, ownerId: 3, fullName: repo.fullName },
      index: item.number ?? 0,
      person: { team: room.team, user: 'U0GRACE001' },
      login: 'grace',
      at: scene.at.now(),
      until: scene.at.now() + 3_600_000,
      requested: true,
      asked: true,
    };
    await scene.at.store.reviews.put(item.thread ?? '', { ...taken, ...more }, 3_600_000);
    await scene.put('e5', scene.body(events['pulls:opened'], { item: pullNow }));
    await scene.deliver();
    expect(JSON.stringify(scene.calls[0]?.message).includes('is reviewing since')).toBe(named);
  });

  it('of a failed run mentions authors who chose to be only if it is of the default branch', async () => {
    const { run, ...failed } = events['runs:failure'];
    const { main: _, ...elsewhere } = run;
    const commits = [{ sha: 'c'.repeat(40), message: 'Widen the gauge', author: 'grace', login: 'grace' }];
    const person = { team: room.team, user: 'U0GRACE001' };
    await scene.at.store.settings.put(person, { kinds: { broke_branch: true }, quiet: null });
    for (const branch of [{ ...elsewhere, main: true as const }, elsewhere]) {
      const id = 'main' in branch ? 'of the default branch' : 'of another';
      const event = { ...failed, id, run: { ...branch, why: { lines: [], commits } } };
      await scene.put(event.id, scene.body(event, { threaded: false }));
    }
    await scene.deliver();
    expect(scene.calls.map(({ message }) => JSON.stringify(message).includes('<@U0GRACE001>'))).toEqual([true, false]);
  });

  it('follows its repository to another name', async () => {
    await opened();
    const repo = { ...engine, fullName: 'acme/motor', url: 'https://git.example.org/acme/motor' };
    await scene.put('e2', scene.body({ ...events['comments:issue'], repo }));
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ event: { repo: { fullName: 'acme/motor' } } });
    expect(JSON.stringify(drawn()[0]?.message)).toContain('acme/motor');
  });

  it('of a muted repository is in the channel itself', async () => {
    await opened();
    const lane = { ...room, lane: 12 };
    await scene.put('e3', scene.body(events['issues:closed']), lane);
    await scene.deliver(lane);
    expect((await card())?.about).toMatchObject({ standing: { state: 'closed' } });
    await scene.deliver();
    expect(drawn()).toHaveLength(1);
  });
});

describe('the card of an item whose events waited', () => {
  const closed = { ...issueNow, state: 'closed' as const, readAt: 2_000 };
  const closing = { type: 'update', thread, item: closed, now: true } as const;

  it('keeps an update that is queued behind an earlier event', async () => {
    await opened({ item: { ...issueNow, readAt: 1_000 } });
    await scene.put('e2', scene.body(events['comments:issue'], { item: { ...issueNow, readAt: 1_500 } }));
    await scene.put('u1', closing, room, `update:${thread}`);
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ standing: { state: 'closed' } });
    expect(JSON.stringify(drawn().at(-1)?.message)).toContain('Closed');
  });

  it.each([
    ['a muted repository’s digest', { ...room, lane: 12 }],
    ['the channel itself', room],
  ])('does not return to an earlier state with %s', async (_name, place) => {
    await opened({ item: { ...issueNow, readAt: 1_000 } });
    await scene.put('e2', scene.body(events['comments:issue'], { item: { ...issueNow, readAt: 1_500 } }), place);
    if (place !== room) {
      await scene.put('u1', closing, room, `update:${thread}`);
      await scene.deliver();
    }
    await scene.put('e3', scene.body(events['issues:closed'], { item: closed }));
    await scene.deliver();
    await scene.deliver(place);
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ standing: { state: 'closed', item: { state: 'closed' } } });
    expect(JSON.stringify(drawn().at(-1)?.message)).toContain('Closed');
  });

  it('does not return to an earlier state with an update that was read before', async () => {
    await opened({ item: closed });
    await scene.put('u1', { ...closing, item: { ...issueNow, readAt: 1_000 } }, room, `update:${thread}`);
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ standing: { state: 'closed', item: { state: 'closed' } } });
  });

  it('takes a state that was stored without its time', async () => {
    await opened({ item: issueNow });
    await scene.put('e3', scene.body(events['issues:closed'], { item: { ...issueNow, state: 'closed' } }));
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ standing: { state: 'closed' } });
  });
});

describe('an update of a card', () => {
  const update = (more: object = {}) => ({ type: 'update', thread, ...more }) as const;
  const put = (id: string, more?: object) => scene.put(id, update(more), room, `update:${thread}`);

  it('that does not exist is dropped', async () => {
    await put('u1');
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls).toEqual([]);
    expect((await scene.view()).size).toBe(0);
  });

  it('that changes nothing is not sent', async () => {
    await opened({ item: issueNow });
    await put('u1');
    await put('u2', { item: issueNow });
    await scene.deliver();
    expect(drawn()).toEqual([]);
    expect((await scene.view()).size).toBe(0);
  });

  it('adds the item that could not be read before, and never a second time', async () => {
    await opened();
    await put('u1', { item: { ...issueNow, state: 'closed' } });
    await scene.deliver();
    expect(JSON.stringify(drawn()[0]?.message)).toContain('Closed');
    await put('u2', { item: issueNow });
    await scene.deliver();
    expect(drawn()).toHaveLength(1);
    await put('u3', { item: issueNow, now: true });
    await scene.deliver();
    expect(JSON.stringify(drawn()[1]?.message)).not.toContain('Closed');
  });

  it('says that a notification was read, and that it is unread again', async () => {
    await scene.put('e37', scene.body(events['inbox:assigned']));
    await scene.deliver();
    await put('u1', { read: true, item: { ...issueNow, state: 'closed' } });
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ standing: { read: true, state: 'closed' } });
    await put('u2', { read: false, item: issueNow });
    await scene.deliver();
    expect((await card())?.about).toMatchObject({ standing: { state: 'open' } });
    expect((await card())?.about).not.toMatchObject({ standing: { read: true } });
  });

  it('keeps the address of what was posted', async () => {
    await opened();
    await put('u1', { item: { ...issueNow, state: 'closed' } });
    await scene.deliver();
    expect(await scene.at.store.decisions.ofMessage(room, '1.0')).toHaveLength(1);
  });
});

describe('a finished message', () => {
  const message = (text: string, more: object = {}) =>
    ({ type: 'message', message: say(md`${text}`), ...more }) as const;

  it('with a name replaces the previous one', async () => {
    await scene.put('m1', message('one', { card: 'c1' }), room, 'c1');
    await scene.deliver();
    await scene.put('m2', message('two', { card: 'c1' }), room, 'c1');
    await scene.deliver();
    expect(scene.calls).toMatchObject([
      { kind: 'post', id: 'm1' },
      { kind: 'update', ts: '1.0', message: { text: 'two' } },
    ]);
    expect(await scene.at.store.threads.get(room, 'c1')).toMatchObject({ ts: '1.0', hash: expect.any(String) });
  });

  it('under a card is a reply to it, or posted separately if there is none', async () => {
    await scene.put('m1', message('one', { card: 'c1' }), room, 'c1');
    await scene.put('m2', message('two', { under: 'c1' }));
    await scene.put('m3', message('three', { under: 'c9' }));
    await scene.put('m4', message('four'));
    await scene.deliver();
    expect(scene.calls.map(({ thread: under }) => under)).toEqual([undefined, '1.0', undefined, undefined]);
  });
});
