import { describe, expect, it } from 'vitest';
import type { ItemState } from '../../../src/feed/item.js';
import { newlyAsked } from '../../../src/jobs/deliver/plan.js';
import { events, issueNow } from '../../feed/samples/events.js';
import { room, useDelivery } from './scene.js';

const scene = useDelivery({ policy: 'teams:\n  acme/Review: S0REVIEW01\n' });
const pullNow = (...teams: readonly string[]): ItemState => ({ ...issueNow, kind: 'pull', teams });
const direct = { team: 'T1', channel: 'D0ADA00001' };
const posted = (at: number) => JSON.stringify(scene.calls[at]?.message.blocks);
const group = '<!subteam^S0REVIEW01>';

describe('a team whose review is requested', () => {
  it('is mentioned by its group when it is requested, and not in every later message', async () => {
    await scene.put('e5', scene.body(events['pulls:opened'], { item: pullNow('acme/Review', 'acme/Other') }));
    await scene.deliver();
    expect(posted(0)).toContain(group);
    expect(posted(0).split(group)).toHaveLength(2);
    await scene.put('e22', scene.body(events['comments:pull'], { item: pullNow('acme/Review') }));
    await scene.deliver();
    expect(posted(1)).not.toContain(group);
  });

  it('stays mentioned on its card when that is redrawn', async () => {
    await scene.put('e5', scene.body(events['pulls:opened'], { item: pullNow('acme/Review') }));
    await scene.deliver();
    const item = { ...pullNow('acme/Review'), title: 'Another title' };
    await scene.put('u1', { type: 'update', thread: events['pulls:opened'].item.thread ?? '', item, now: true });
    await scene.deliver();
    expect(scene.calls.map(({ kind }) => kind)).toEqual(['post', 'update']);
    expect(posted(1)).toContain(group);
  });

  it('is not mentioned if only one person can read it', async () => {
    await scene.put('e5', scene.body(events['pulls:opened'], { item: pullNow('acme/Review') }), direct);
    await scene.deliver(direct);
    expect(posted(0)).not.toContain(group);
  });
});

describe('newly requested', () => {
  const opened = events['pulls:opened'];
  const later = events['comments:pull'];
  const open = (...teams: readonly string[]) => ({ item: pullNow(...teams) });

  it('are the teams of a pull request that is opened, reopened or ready', () => {
    for (const kind of ['pulls:opened', 'pulls:reopened', 'pulls:ready'] as const)
      expect(newlyAsked(room, events[kind], undefined, open('a/b'))).toEqual(['a/b']);
    expect(newlyAsked(room, later, undefined, open('a/b'))).toEqual([]);
  });

  it('are those that its card did not show', () => {
    expect(newlyAsked(room, later, { standing: open('a/b') }, open('a/b', 'a/c'))).toEqual(['a/c']);
    expect(newlyAsked(room, later, { standing: {} }, open('a/b'))).toEqual(['a/b']);
    expect(newlyAsked(room, opened, { standing: open('a/b') }, open('a/b'))).toEqual([]);
  });

  it('are none for closed or unknown items, or in direct messages', () => {
    const closed = { item: { ...pullNow('a/b'), state: 'closed' } as const };
    expect(newlyAsked(room, opened, undefined, closed)).toEqual([]);
    expect(newlyAsked(room, opened, undefined, {})).toEqual([]);
    expect(newlyAsked(room, opened, undefined, { item: issueNow })).toEqual([]);
    expect(newlyAsked(direct, opened, undefined, open('a/b'))).toEqual([]);
    expect(newlyAsked({ ...room, channel: 'C0ROOM000D' }, opened, undefined, open('a/b'))).toEqual(['a/b']);
  });
});
