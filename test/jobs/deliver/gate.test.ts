import { describe, expect, it } from 'vitest';
import { PostError } from '../../../src/feed/ports.js';
import { sourceKey } from '../../../src/feed/sources/source.js';
import { ApiError } from '../../../src/forge/index.js';
import { engine, events } from '../../feed/samples/events.js';
import { owner, room, useDelivery } from './scene.js';

const scene = useDelivery();
const named = 'T1/C0ROOM0001 r12';
const hidden = { ...engine, hidden: true };
const secret = { ...events['issues:opened'], id: 'secret', repo: hidden };
const texts = () => scene.calls.map(({ message }) => message.text);
const inbox = async () =>
  (await scene.view({ ...room, channel: owner })).entries.map(({ body }) => JSON.stringify(body));

describe('what may not be shown here', () => {
  it('is not posted: its subscription pauses, channel and owner are notified, and `why` explains it', async () => {
    await scene.subscribe();
    await scene.put('secret', scene.body(secret, { subscription: named }));
    scene.world.hidden = true;
    await scene.deliver();
    expect(texts()).toEqual([expect.stringContaining('acme/engine is private now')]);
    expect(await scene.at.store.subscriptions.get({ place: room, target: { kind: 'repo', id: 12 } })).toMatchObject({
      paused: { cause: 'withheld', at: scene.at.now() },
    });
    expect(await inbox()).toEqual([expect.stringContaining('It resumes on its own when that changes.')]);
    expect(await scene.at.store.decisions.about(secret.item.url)).toMatchObject([
      {
        event: 'secret',
        ...room,
        kept: false,
        clause: expect.stringMatching(/^it may not be shown here: The repository is private /),
        subscription: named,
      },
    ]);
    expect(scene.counts.get('withheld')).toBe(1);
    expect((await scene.view()).size).toBe(0);
  });

  it('is announced once: a subscription that is already paused stays unchanged', async () => {
    const paused = { reason: 'before', at: scene.at.now() - 60_000 };
    await scene.subscribe({ paused });
    await scene.put('secret', scene.body(secret, { subscription: named }));
    scene.world.hidden = true;
    await scene.deliver();
    expect(await scene.at.store.subscriptions.get({ place: room, target: { kind: 'repo', id: 12 } })).toMatchObject({
      paused,
    });
    expect(await inbox()).toEqual([]);
  });

  it('under a pattern is only left out: the pattern continues', async () => {
    const target = { kind: 'owner', id: 3, pattern: '*' } as const;
    await scene.subscribe({ target });
    await scene.put('secret', scene.body(secret, { subscription: 'T1/C0ROOM0001 o3 *' }));
    scene.world.hidden = true;
    await scene.deliver();
    expect(scene.calls).toEqual([]);
    expect((await scene.at.store.subscriptions.get({ place: room, target }))?.paused).toBeUndefined();
    expect(await inbox()).toEqual([]);
  });

  it('under a pattern is announced once if it was public, but not if only the owner lost sight of it', async () => {
    const about = { owner: 'acme', name: 'engine', ownerId: 3, wasOpen: true };
    await scene.at.store.sources.ensure(sourceKey({ kind: 'repo', id: 12 }), about);
    await scene.subscribe({ target: { kind: 'owner', id: 3, pattern: '*' } });
    const arrives = async (id: string) => {
      await scene.put(id, scene.body({ ...secret, id }, { subscription: 'T1/C0ROOM0001 o3 *' }));
      for (const _each of ['event', 'notice']) await scene.deliver();
    };
    Object.assign(scene.world, { hidden: true, kind: 'private', sees: false });
    await arrives('unseen');
    expect(scene.calls).toEqual([]);
    scene.world.kind = 'public';
    await arrives('hidden');
    expect(texts()).toEqual([expect.stringContaining('leaves it out until that changes')]);
    // by then its outbox has forgotten that it said so
    scene.at.pass(8 * 86_400_000);
    await arrives('a week later');
    expect(texts()).toHaveLength(1);
  });

  it('of a subscription that ended is silently dropped', async () => {
    await scene.put('secret', scene.body(secret, { subscription: named }));
    scene.world.hidden = true;
    scene.world.kind = 'private';
    await scene.deliver();
    expect(scene.calls).toEqual([]);
    expect(scene.counts.get('withheld')).toBe(1);
  });

  it('because the channel is shared makes everything wait', async () => {
    await scene.subscribe();
    await scene.put('e1', scene.body(events['issues:opened'], { subscription: named }));
    scene.world.shared = true;
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls).toEqual([]);
    expect(await scene.view()).toMatchObject({ size: 1, pause: { reason: expect.stringContaining('shared') } });
  });

  it('is shown in a closed channel if its owner sees it, and otherwise not', async () => {
    await scene.subscribe();
    scene.world.hidden = true;
    scene.world.kind = 'private';
    await scene.put('secret', scene.body(secret, { subscription: named }));
    await scene.deliver();
    expect(scene.posts()).toHaveLength(1);
    scene.world.sees = false;
    await scene.put('secret2', scene.body({ ...secret, id: 'secret2' }, { subscription: named }));
    await scene.deliver();
    expect(scene.posts().filter((text) => text.includes('Leaking'))).toHaveLength(1);
  });

  it.each([
    ['a repository followed by name', { kind: 'repo', id: 12 }, named],
    ['a pattern', { kind: 'owner', id: 3, pattern: '*' }, 'T1/C0ROOM0001 o3 *'],
  ] as const)('without a linked account is not shown for %s', async (_case, target, subscription) => {
    scene.world.hidden = true;
    scene.world.kind = 'private';
    scene.world.sees = undefined;
    await scene.subscribe({ target });
    await scene.put('secret', scene.body(secret, { subscription }));
    await scene.deliver();
    expect(JSON.stringify(scene.calls)).not.toContain('Leaking');
  });

  it('is left out alone if its owner sees the repository but not this part of it', async () => {
    scene.world.hidden = true;
    scene.world.kind = 'private';
    scene.world.units = ['pulls'];
    await scene.subscribe();
    await scene.put('secret', scene.body(secret, { subscription: named }));
    const pull = { ...events['pulls:opened'], id: 'pull', repo: hidden };
    await scene.put('pull', scene.body(pull, { subscription: named }));
    for (const _each of ['issue', 'pull']) await scene.deliver();
    expect(scene.posts()).toEqual([expect.stringContaining(pull.item.title ?? '')]);
    const kept = await scene.at.store.subscriptions.get({ place: room, target: { kind: 'repo', id: 12 } });
    expect(kept?.paused).toBeUndefined();
    const clause = 'it may not be shown here: Its owner can’t see the issues of the repository.';
    expect(await scene.at.store.decisions.about(secret.item.url)).toMatchObject([{ kept: false, clause }]);
  });

  it('is a person’s own if no subscription is named', async () => {
    scene.world.hidden = true;
    await scene.put('secret', scene.body(secret));
    await scene.deliver();
    expect(scene.posts()).toHaveLength(1);
  });

  it('waits while Slack or the forge cannot say', async () => {
    await scene.subscribe();
    await scene.put('e1', scene.body(secret, { subscription: named }));
    const { slack } = scene.deps;
    for (const error of [
      new PostError('unknown', 'timeout'),
      new ApiError({ kind: 'unavailable', operation: 'repos.get' }),
    ]) {
      Object.assign(slack, { channel: () => Promise.reject(error) });
      expect(await scene.deliver()).toBe(10_000);
      expect((await scene.view()).size).toBe(1);
    }
  });
});
