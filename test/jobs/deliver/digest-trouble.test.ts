import { describe, expect, it } from 'vitest';
import { PostError } from '../../../src/feed/ports.js';
import { events } from '../../feed/samples/events.js';
import { mayRepeat, room, useDelivery } from './scene.js';

const scene = useDelivery({ policy: 'feed: { digestAbove: 5 }' });
const six = ['A', 'B', 'C', 'D', 'E', 'F'];
const ids = () => scene.calls.map(({ id = '' }) => id.replace(/:.*/, ''));
const once = (answer: PostError | 'lost') => {
  let first = true;
  scene.world.answer = () => {
    const given = first ? answer : undefined;
    first = false;
    return given;
  };
};
const dropped = new PostError('unknown', 'timeout');
const issue = (title: string, more: object = {}) => {
  const { item, ...event } = events['issues:opened'];
  return { ...event, id: title, item: { ...item, title, thread: title }, ...more };
};

/** As so many processes left the channel behind. */
const die = async (times: number): Promise<void> => {
  await scene.at.redis.set(`bellows:{f0:channel:${room.team}:${room.channel}}:deaths`, times);
};

describe('a digest that Slack refuses', () => {
  it.each(['message', 'unlisted'] as const)('(%s) is halved until the culprit is alone', async (kind) => {
    await scene.open(...six);
    scene.world.answer = ({ message }) =>
      JSON.stringify(message).includes('7-B') || JSON.stringify(message).includes('#7 B')
        ? new PostError(kind, 'odd')
        : undefined;
    await scene.deliverAll();
    const aside = await scene.at.store.outbox.asideIn(room);
    expect(aside.map(({ id }) => id)).toEqual(['e-B']);
    const posted = JSON.stringify(scene.calls.map(({ message }) => message));
    for (const title of six.filter((each) => each !== 'B')) expect(posted).toContain(`7-${title}`);
  });

  it('remembers how many were last sent together', async () => {
    await scene.open(...six);
    once(new PostError('message', 'odd'));
    scene.world.answer = ({ id = '' }) => (id.startsWith('digest') ? new PostError('message', 'odd') : dropped);
    await scene.deliver();
    expect((await scene.view()).trouble).toMatchObject({ id: 'e-A', most: 1, code: 'timeout' });
  });
});

describe('a digest with an unknown outcome', () => {
  it('that was posted is done as a whole', async () => {
    await scene.open(...six);
    once('lost');
    await scene.deliverAll();
    expect(scene.posts()).toHaveLength(1);
    expect((await scene.view()).size).toBe(0);
  });

  it('that was not posted is sent unchanged', async () => {
    await scene.open(...six);
    once(dropped);
    scene.at.pass((await scene.deliver()) ?? 0);
    await scene.open('Later');
    await scene.deliverAll();
    const [first, second] = scene.calls;
    expect(second?.id).toBe(first?.id);
    expect(ids()).toEqual(['digest', 'digest', 'e-Later']);
  });

  const hide = async () => {
    await scene.subscribe();
    const subscription = 'T1/C0ROOM0001 r12';
    const repo = { ...events['issues:opened'].repo, hidden: true };
    for (const title of six) await scene.put(title, scene.body(issue(title, { repo }), { subscription }));
  };

  it('is replaced by what may be shown now', async () => {
    await hide();
    once(dropped);
    scene.at.pass((await scene.deliver()) ?? 0);
    scene.world.hidden = true;
    await scene.deliverAll();
    expect(scene.calls.filter(({ message }) => !message.text.includes('is private now'))).toHaveLength(1);
    expect(scene.counts.get('withheld')).toBe(6);
  });

  it('is done as it is if it was posted, whatever may be shown now', async () => {
    await hide();
    once('lost');
    scene.at.pass((await scene.deliver()) ?? 0);
    scene.world.hidden = true;
    await scene.deliverAll();
    expect(scene.counts.get('withheld')).toBeUndefined();
    expect((await scene.view()).size).toBe(0);
  });

  it('is dropped if a process died on this channel: entries are sent one at a time', async () => {
    await scene.open(...six);
    once(dropped);
    scene.at.pass((await scene.deliver()) ?? 0);
    await die(1);
    await scene.deliverAll();
    expect(ids()).toEqual(['digest', 'e-A', 'e-B', 'e-C', 'e-D', 'e-E', 'e-F']);
    expect(scene.repeats()).not.toContain(true);
  });

  it('that nobody may read back marks each entry sent in its place', async () => {
    scene.world.unfound = 'unreadable';
    await scene.open(...six);
    once(dropped);
    scene.at.pass((await scene.deliver()) ?? 0);
    await die(1);
    await scene.open('G');
    await scene.deliverAll();
    expect(ids()).toEqual(['digest', 'e-A', 'e-B', 'e-C', 'e-D', 'e-E', 'e-F', 'e-G']);
    expect(scene.repeats()).toEqual([false, true, true, true, true, true, true, false]);
  });

  it('that nobody may read back is posted after all, marked, when the channel accepts messages again', async () => {
    scene.world.unfound = 'unreadable';
    await scene.open(...six);
    scene.world.answer = ({ id = '' }) => (id.startsWith('digest') ? dropped : undefined);
    await scene.deliverAll();
    expect(scene.posts()).toEqual([]);
    expect(await scene.at.store.outbox.asideIn(room)).toHaveLength(6);
    scene.world.answer = () => undefined;
    await scene.open('G');
    await scene.deliverAll();
    const [, later = ''] = scene.calls.slice(-2).map(({ message }) => JSON.stringify(message));
    for (const title of six) expect(later).toContain(`7-${title}`);
    expect(scene.repeats().slice(-2)).toEqual([false, true]);
    expect(await scene.at.store.outbox.asideIn(room)).toEqual([]);
  });

  it('that nobody may read back marks what may still be shown', async () => {
    scene.world.unfound = 'unreadable';
    await hide();
    await scene.open(...six);
    once(dropped);
    scene.at.pass((await scene.deliver()) ?? 0);
    scene.world.hidden = true;
    await scene.deliverAll();
    const shown = scene.calls.filter(({ message }) => !message.text.includes('is private now'));
    expect(shown.map(mayRepeat)).toEqual([false, true]);
  });

  it('is looked for before it is split', async () => {
    await scene.open(...six);
    let calls = 0;
    scene.world.answer = ({ id = '' }) => {
      calls += 1;
      return id.startsWith('digest') ? (calls < 5 ? dropped : 'lost') : undefined;
    };
    await scene.deliverAll();
    expect(new Set(ids())).toEqual(new Set(['digest']));
    expect(scene.posts()).toHaveLength(1);
  });
});

describe('a channel on which a process died', () => {
  it('gets no digest, so that the culprit is alone', async () => {
    await scene.open(...six);
    await die(1);
    await scene.deliverAll();
    expect(ids()).not.toContain('digest');
    expect(scene.calls).toHaveLength(6);
  });

  it('five times continues without the first entry', async () => {
    await scene.open('A', 'B');
    await die(5);
    await scene.deliverAll();
    expect(ids()).toEqual(['e-B']);
    expect(await scene.at.store.outbox.asideIn(room)).toMatchObject([
      { id: 'e-A', code: 'stopped_the_worker', retryAt: expect.any(Number) },
    ]);
    expect(scene.counts.get('aside')).toBe(1);
  });

  it('once more continues without an entry that was set aside before', async () => {
    await scene.open('A', 'B');
    await die(5);
    await scene.deliverAll();
    scene.at.pass(2 * 60_000);
    const { outbox } = scene.at.store;
    const token = await outbox.lease(room).acquire(60_000);
    if (token === undefined) throw new Error('nobody else holds it');
    expect(await outbox.revive(room, token)).toBe(1);
    await outbox.lease(room).release(token);
    await scene.open('C');
    await die(1);
    await scene.deliverAll();
    expect(ids()).toEqual(['e-B', 'e-C']);
    expect(await outbox.asideIn(room)).toMatchObject([{ id: 'e-A', asides: 2, retryAt: expect.any(Number) }]);
  });

  it('five times continues without the one that was begun', async () => {
    await scene.open(...six);
    once(dropped);
    scene.at.pass((await scene.deliver()) ?? 0);
    await scene.open('G');
    await die(5);
    await scene.deliverAll();
    expect(ids()).toEqual(['digest', 'e-G']);
    expect(await scene.at.store.outbox.asideIn(room)).toHaveLength(6);
    expect((await scene.view()).intent).toBeUndefined();
  });
});
