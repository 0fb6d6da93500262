import { describe, expect, it } from 'vitest';
import type { Audience } from '../../../src/feed/delivery.js';
import type { Exposure } from '../../../src/feed/exposure.js';
import { PostError } from '../../../src/feed/ports.js';
import { createGuard } from '../../../src/jobs/deliver/guard.js';
import { pause } from '../../../src/jobs/subscription-state.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { engine, events } from '../../feed/samples/events.js';
import { owner, room, useDelivery } from './scene.js';

const scene = useDelivery();
const named = 'T1/C0ROOM0001 r12';
const hidden = { ...engine, hidden: true };
const inbox = async () =>
  (await scene.view({ ...room, channel: owner })).entries.map(({ body }) => JSON.stringify(body));

describe('a finished message about a repository', () => {
  const message = (of?: Audience) => ({ type: 'message', message: say(md`About it`), ...(of && { of }) }) as const;

  it('passes the same gate, and is dropped if it may not be shown', async () => {
    await scene.subscribe();
    scene.world.hidden = true;
    await scene.put('m1', message({ repo: hidden, subscription: named, units: [] }));
    await scene.put('m2', message());
    await scene.deliver();
    expect(scene.calls.map(({ id }) => id)).toEqual(['m2']);
    scene.world.hidden = false;
    await scene.put('m3', message({ repo: hidden, subscription: named, units: [] }));
    await scene.deliver();
    expect(scene.calls.map(({ id }) => id)).toEqual(['m2', 'm3']);
  });

  it('that a review waits for is dropped after its time, and otherwise waits for the forge', async () => {
    const awaits = { repo: engine, index: 1, login: 'grace', own: true, by: { team: 'T1', user: owner } } as const;
    await scene.put('m1', { ...message(), awaits: { ...awaits, until: scene.at.now() - 1 } });
    expect(await scene.deliver()).toBeUndefined();
    expect((await scene.view()).size).toBe(0);
    // it does not answer here
    await scene.put('m2', { ...message(), awaits: { ...awaits, until: scene.at.now() } });
    expect(await scene.deliver()).toBeGreaterThan(0);
    expect((await scene.view()).size).toBe(1);
    expect(scene.calls).toEqual([]);
  });

  it('that a review waits for is shown in a channel only to those who see pull requests there', async () => {
    const awaits = { repo: hidden, index: 1, login: 'grace', own: true, by: { team: 'T1', user: owner } } as const;
    Object.assign(scene.world, { hidden: true, kind: 'private', units: ['wiki'] });
    await scene.put('m1', { ...message(), awaits });
    await scene.deliver();
    expect((await scene.view()).size).toBe(0);
    scene.world.units = ['pulls'];
    await scene.put('m2', { ...message(), awaits });
    await scene.deliver();
    expect((await scene.view()).size).toBe(1);
  });

  it('that was begun is removed once it may not be shown', async () => {
    await scene.subscribe();
    await scene.put('m1', message({ repo: hidden, subscription: named, units: [] }));
    scene.world.answer = () => new PostError('unknown', 'timeout');
    scene.at.pass((await scene.deliver()) ?? 0);
    scene.world.hidden = true;
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls).toHaveLength(1);
    expect(await scene.view()).toMatchObject({ size: 0 });
    expect((await scene.view()).intent).toBeUndefined();
  });
});

describe('an event about a hidden repository whose subscription ended', () => {
  const target = { kind: 'owner', id: 3, pattern: '*' } as const;

  it.each([
    ['is shown by another subscription that includes it', 3, {}, 1],
    ['is not shown by one that is paused', 3, { paused: { reason: 'Its owner has left.', at: 0 } }, 0],
    ['is not shown by one to another owner', 4, {}, 0],
    ['is not shown if nobody can tell whose it is', undefined, {}, 0],
  ])('%s', async (_, ownerId, more, posts) => {
    await scene.at.store.subscriptions.put({ place: room, target, owner, filter: {}, ...more }, 'acme');
    Object.assign(scene.world, { hidden: true, kind: 'private', ownerId });
    await scene.put('e1', scene.body({ ...events['issues:opened'], repo: hidden }, { subscription: named }));
    await scene.deliver();
    expect(scene.posts()).toHaveLength(posts);
  });
});

describe('an event that another subscription of the channel shows', () => {
  const actor = events['issues:opened'].actor?.id ?? 0;
  it.each([
    ['one to its repository', { kind: 'repo', id: 12 }, 1],
    ['not one to another repository', { kind: 'repo', id: 13 }, 0],
    ['one to the person who did it', { kind: 'user', id: actor }, 1],
    ['not one to another person', { kind: 'user', id: actor + 1 }, 0],
    ['not a pattern that leaves it out', { kind: 'owner', id: 3, pattern: 'web-*' }, 0],
  ] as const)('is shown by %s', async (_, target, posts) => {
    await scene.at.store.subscriptions.put({ place: room, target, owner, filter: {} }, 'acme');
    await scene.put('e1', scene.body(events['issues:opened'], { subscription: 'T1/C0ROOM0001 r99' }));
    await scene.deliver();
    expect(scene.posts()).toHaveLength(posts);
  });
});

describe('a reminder', () => {
  const part = (id: number, fullName: string) => ({
    repo: { id, fullName, hidden: true },
    total: 1,
    rows: [[{ type: 'section', text: { type: 'mrkdwn', text: `waiting in ${fullName}` } } as const]],
  });

  it('shows the parts its owner may show here now, or nothing', async () => {
    const checked: unknown[] = [];
    const check = async (_place: unknown, { id }: { id: number }, by: unknown): Promise<Exposure> => {
      checked.push(by);
      return id === 1 ? { allowed: true } : { allowed: false, reason: 'unseen', words: '' };
    };
    const guard = createGuard(scene.deps, {
      gate: { check, reasonUnseen: async () => undefined },
      withholding: { withhold: async () => {}, look: async () => {} },
      lost: { lose: async () => {}, look: async () => {} },
      repos: { ownerOf: async () => undefined },
    });
    const parts = [part(1, 'acme/a'), part(2, 'acme/b')];
    expect(await guard.reminder(room, { type: 'reminder', owner, parts })).toEqual([parts[0]]);
    const by = { person: { team: 'T1', user: owner }, units: ['pulls'] };
    expect(checked).toEqual([by, by]);
  });

  it('with nothing to show is not sent', async () => {
    scene.world.hidden = true;
    await scene.put('r1', { type: 'reminder', owner, parts: [part(1, 'acme/a')] });
    await scene.deliver();
    expect(scene.calls).toEqual([]);
    expect((await scene.view()).size).toBe(0);
    scene.world.kind = 'private';
    await scene.put('r2', { type: 'reminder', owner, parts: [part(1, 'acme/a')] });
    await scene.deliver();
    expect(JSON.stringify(scene.calls)).toContain('waiting in acme/a');
  });
});

describe('a subscription that pauses permanently', () => {
  it.each([
    ['left', 0, true],
    ['unlinked', 1, true],
    ['unseen', 1, true],
    ['unreadable', 1, false],
  ] as const)('(%s) says so once each time in its channel, also if interrupted', async (why, toOwner, takeOver) => {
    const sub = await scene.subscribe();
    await pause(scene.deps, sub, why, 1);
    await scene.subscribe();
    await pause(scene.deps, sub, why, 1);
    const posted = (await scene.view()).entries.map(({ body }) => JSON.stringify(body));
    expect(posted).toEqual([expect.stringContaining('Updates on acme/engine are paused.')]);
    expect(posted[0]?.includes('"Take over"')).toBe(takeOver);
    expect(await inbox()).toHaveLength(toOwner);
    await scene.subscribe();
    await pause(scene.deps, sub, why, 2);
    expect((await scene.view()).size).toBe(2);
  });

  it('says what to do, to its owner, once', async () => {
    const sub = await scene.subscribe();
    await pause(scene.deps, sub, 'unreadable', 1);
    await pause(scene.deps, sub, 'unlinked', 2);
    const reason = 'Bellows’ forge account can no longer read the repository. Give it access on the forge.';
    expect(await scene.at.store.subscriptions.get(sub)).toMatchObject({ paused: { reason, at: scene.at.now() } });
    const [notice = ''] = await inbox();
    expect(notice).toContain('acme/engine');
    expect(notice).toContain('Subscribe there again when that is settled.');
    await scene.at.store.subscriptions.remove(sub);
    await pause(scene.deps, sub, 'unreadable', 3);
    expect(await inbox()).toHaveLength(1);
  });
});
