import { describe, expect, it } from 'vitest';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { events } from '../../feed/samples/events.js';
import { room, useDelivery } from './scene.js';

const scene = useDelivery({ policy: 'feed: { digestAbove: 5 }' });
const six = ['A', 'B', 'C', 'D', 'E', 'F'];
const ids = () => scene.calls.map(({ id = '' }) => id.replace(/:.*/, ''));
const issue = (title: string, more: object = {}) => {
  const { item, ...event } = events['issues:opened'];
  return { ...event, id: title, item: { ...item, title, thread: title }, ...more };
};

describe('events', () => {
  it('are sent one by one up to the limit, as one above it', async () => {
    await scene.open(...six.slice(1));
    await scene.deliver();
    expect(ids()).toEqual(['e-B', 'e-C', 'e-D', 'e-E', 'e-F']);
    await scene.open(...six.map((title) => `${title}2`));
    await scene.deliver();
    expect(ids().slice(5)).toEqual(['digest']);
    expect(scene.counts.get('digests')).toBe(1);
    expect(await scene.at.store.decisions.ofMessage(room, scene.calls.at(-1)?.ts ?? '')).toHaveLength(6);
  });

  it('before a finished message do not wait for what comes after it', async () => {
    await scene.open(...six.slice(0, 3));
    await scene.put('m1', { type: 'message', message: say(md`Hello`) });
    await scene.open(...six.slice(3));
    await scene.deliver();
    expect(ids()).toEqual(['e-A', 'e-B', 'e-C', 'm1', 'e-D', 'e-E', 'e-F']);
  });

  it('from a quiet time are sent as one, without the loud ones after them', async () => {
    await scene.put('a', scene.body(issue('a'), { canWait: true }));
    await scene.put('b', scene.body(issue('b'), { canWait: true }));
    await scene.put('c', scene.body(issue('c')));
    await scene.deliver();
    expect(ids()).toEqual(['digest', 'c']);
    expect((await scene.at.store.decisions.ofMessage(room, '1.0')).map(({ event }) => event).sort()).toEqual([
      'a',
      'b',
    ]);
  });

  it('with only one from a quiet time stay a message', async () => {
    await scene.put('a', scene.body(issue('a'), { canWait: true }));
    await scene.put('b', scene.body(issue('b')));
    await scene.deliver();
    expect(ids()).toEqual(['a', 'b']);
  });

  it('of a muted repository are sent as one, even a single one', async () => {
    const lane = { ...room, lane: 12 };
    await scene.put('a', scene.body(issue('a')), lane);
    await scene.deliver(lane);
    expect(ids()).toEqual(['digest']);
  });

  it('that a lost channel missed are sent as one when it is back', async () => {
    await scene.open('A', 'B');
    await scene.at.store.lostChannels.note(room);
    await scene.deliver();
    expect(ids()).toEqual(['digest']);
  });

  it('of a lost channel are a message if there is only one', async () => {
    await scene.open('A');
    await scene.at.store.lostChannels.note(room);
    await scene.deliver();
    expect(ids()).toEqual(['e-A']);
  });

  it('of a part of the repository that its owner does not see are left out of it, the others are not', async () => {
    await scene.subscribe();
    const subscription = 'T1/C0ROOM0001 r12';
    const repo = { ...events['issues:opened'].repo, id: 12, hidden: true };
    const pull = { ...events['pulls:opened'], id: 'secret', repo };
    await scene.put('secret', scene.body({ ...pull, item: { ...pull.item, title: 'secret' } }, { subscription }));
    for (const title of six) await scene.put(title, scene.body(issue(title, { repo }), { subscription }));
    Object.assign(scene.world, { hidden: true, kind: 'private', units: ['issues'] });
    await scene.deliver();
    expect(ids()).toEqual(['digest']);
    expect(JSON.stringify(scene.calls)).not.toContain('secret');
    expect(scene.counts.get('withheld')).toBe(1);
  });

  it('that may not be shown are left out of it', async () => {
    await scene.subscribe();
    const subscription = 'T1/C0ROOM0001 r12';
    for (const title of six) await scene.put(title, scene.body(issue(title)));
    const repo = { ...events['issues:opened'].repo, id: 12, hidden: true };
    await scene.put('secret', scene.body(issue('secret', { repo }), { subscription }));
    scene.world.hidden = true;
    await scene.deliver();
    expect(ids()[0]).toBe('digest');
    expect(JSON.stringify(scene.calls)).not.toContain('secret');
    expect(scene.counts.get('withheld')).toBe(1);
  });

  it('under a card are posted in a digest, and the card is redrawn', async () => {
    await scene.put('o', scene.body(issue('o')));
    await scene.deliver();
    const { item } = issue('o');
    await scene.put('x', scene.body({ ...events['issues:closed'], id: 'x', item }));
    for (const title of six) await scene.put(title, scene.body(issue(title)));
    await scene.deliver();
    expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'post', 'update']);
    expect(scene.calls[2]).toMatchObject({ ts: '1.0' });
    expect(JSON.stringify(scene.calls[2]?.message)).toContain('Closed');
  });
});
