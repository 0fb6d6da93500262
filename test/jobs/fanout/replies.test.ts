import { describe, expect, it } from 'vitest';
import type { Event, EventOf } from '../../../src/feed/event.js';
import { parseFilter } from '../../../src/feed/filter.js';
import { events } from '../../feed/samples/events.js';
import { team, useFanout, userOf } from './scene.js';

const scene = useFanout();
const grace = { kind: 'inbox', team, user: userOf('grace') } as const;
const dm = () => scene.waiting(scene.dm('grace'));
interface InboxBody {
  readonly type: string;
  readonly event?: { readonly kind: string; readonly words?: string; readonly did?: string; readonly at: string };
}
const bodies = async () => (await dm()).map(({ body }) => body as unknown as InboxBody);
const words = async () => (await bodies()).map(({ event }) => event?.words);

const notified = (title: string, more: Partial<EventOf<'inbox:activity'>> = {}) => {
  const { repo, item } = scene.opened(title, 'acme/engine', { assignees: ['grace'] });
  const at = new Date().toISOString();
  return { ...events['inbox:assigned'], id: `n-${title}`, source: 'inbox', at, repo, item, ...more } as const;
};
const say = (event: Event, as: string, body: string) =>
  scene.forge.world.comment({ as, repo: 'acme/engine', index: event.item.number ?? 0, body });
const url = (event: Event, id: number) => `${event.item.url}#issuecomment-${id}`;
const standsSince = (event: Event, ms: number) =>
  scene.at.store.threads.put(scene.dm('grace'), {
    item: event.item.thread ?? '',
    ts: '1.0',
    about: { event: { at: new Date(Date.now() + ms).toISOString() } },
  });

describe('comments since the card was posted', () => {
  it('come only after it: what was said before it is not posted again', async () => {
    const event = notified('Later card');
    say(event, 'ada', 'before');
    await standsSince(event, 60_000);
    const { id } = say(event, 'linus', 'after');
    await scene.fan(grace, [{ ...event, commentUrl: url(event, id) }]);
    expect(await words()).toEqual(['after']);
  });

  it('come each with its own time and address, whatever the item’s current state', async () => {
    const event = notified('Closed since');
    await standsSince(event, -5_000);
    const first = say(event, 'ada', 'one');
    const { id } = say(event, 'linus', 'two');
    scene.forge.world.close({ as: 'ada', repo: 'acme/engine', index: event.item.number ?? 0 });
    await scene.fan(grace, [{ ...event, commentUrl: url(event, id) }]);
    expect((await dm())[0]).toMatchObject({
      id: `comment:r${event.repo.id}-${first.id}`,
      body: { event: { did: 'commented', words: 'one', commentUrl: url(event, first.id) } },
    });
  });

  it('are only the latest if there is no card', async () => {
    const event = notified('No card');
    say(event, 'ada', 'one');
    const { id } = say(event, 'linus', 'two');
    await scene.fan(grace, [{ ...event, commentUrl: url(event, id) }]);
    expect(await words()).toEqual(['two']);
  });

  it('are requested no further back than a day, nor than the card', async () => {
    const since = () => {
      const asked = scene.forge.requests.of('GET /repos/{owner}/{repo}/issues/{index}/comments');
      return asked.map(({ query }) => Date.parse(new URLSearchParams(query).get('since') ?? ''));
    };
    const plain = notified('Plain', { commentUrl: 'https://git.example.com/1' });
    await scene.fan(grace, [plain]);
    expect(since().map((at) => Math.round((Date.parse(plain.at) - at) / 1_000))).toEqual([60]);
    scene.forge.requests.clear();
    const young = notified('Young', { commentUrl: 'https://git.example.com/2' });
    await standsSince(young, -600_000);
    await scene.fan(grace, [young]);
    expect(since().map((at) => Math.round((Date.parse(young.at) - at) / 60_000))).toEqual([10]);
    scene.forge.requests.clear();
    const old = notified('Old', { commentUrl: 'https://git.example.com/3' });
    await standsSince(old, -10 * 86_400_000);
    await scene.fan(grace, [old]);
    expect(since().map((at) => Math.round((Date.parse(old.at) - at) / 3_600_000))).toEqual([24]);
  });

  it('are not requested if the notification names none, or the item has no number', async () => {
    await scene.fan(grace, [notified('Quiet')]);
    const { number: _, ...item } = notified('Loose').item;
    await scene.fan(grace, [{ ...notified('Loose too'), item, commentUrl: 'https://git.example.com/4' }]);
    expect(scene.forge.requests.of('GET /repos/{owner}/{repo}/issues/{index}/comments')).toEqual([]);
  });

  it('are not requested if it was read elsewhere', async () => {
    await scene.fan(grace, [notified('Read', { read: true, commentUrl: 'https://git.example.com/5' })]);
    expect(scene.forge.requests.of('GET /repos/{owner}/{repo}/issues/{index}/comments')).toEqual([]);
  });
});

describe('reviews', () => {
  const pull = (title: string) => {
    const branch = title.toLowerCase();
    scene.forge.world.push({ as: 'grace', repo: 'acme/engine', branch, commits: [{ message: title }] });
    const { index } = scene.forge.world.openPull({ as: 'grace', repo: 'acme/engine', title, head: branch });
    const repo = scene.repo('acme/engine');
    const item = {
      kind: 'pull',
      number: index,
      title,
      url: `${repo.url}/pulls/${index}`,
      thread: `p${index}`,
    } as const;
    const event = { ...events['inbox:activity'], state: 'open', id: `n-${title}`, repo, item } as const;
    return { ...event, at: new Date().toISOString() };
  };
  const review = (event: Event, as: string, verdict: 'approve' | 'reject', body: string) =>
    scene.forge.world.review({ as, repo: 'acme/engine', index: event.item.number ?? 0, verdict, body });
  const asked = () => scene.forge.requests.of('GET /repos/{owner}/{repo}/pulls/{index}/reviews');

  it('are shown by the latest', async () => {
    const event = pull('Latest');
    review(event, 'ada', 'reject', 'No');
    review(event, 'linus', 'approve', 'Yes');
    await scene.fan(grace, [event]);
    expect((await bodies()).map(({ event }) => [event?.did, event?.words])).toEqual([['approved', 'Yes']]);
  });

  it('are not shown if they are older than the update', async () => {
    const event = pull('Old');
    review(event, 'ada', 'approve', 'Long ago');
    await scene.fan(grace, [{ ...event, at: new Date(Date.now() + 120_000).toISOString() }]);
    expect(JSON.stringify(await bodies())).not.toContain('Long ago');
  });

  it('are requested only for pull requests, and not if a comment explains it', async () => {
    await scene.fan(grace, [notified('An issue')]);
    expect(asked()).toEqual([]);
    const event = pull('Spoken');
    const { id } = say(event, 'ada', 'words');
    scene.forge.requests.clear();
    await scene.fan(grace, [
      { ...event, commentUrl: `${scene.repo('acme/engine').url}/pulls/${event.item.number}#issuecomment-${id}` },
    ]);
    expect((await words()).at(-1)).toBe('words');
    // once for the pull request's own state
    expect(asked()).toHaveLength(1);
  });

  it('that cannot be read leave the message without them', async () => {
    const event = pull('Sick');
    review(event, 'ada', 'approve', 'unheard');
    const on = 'GET /repos/{owner}/{repo}/pulls/{index}/reviews';
    scene.forge.faults.add({ on, times: 99, trouble: { status: 500 } });
    await scene.at.store.settings.put(grace, { kinds: { activity: true }, quiet: null });
    await scene.fan(grace, [event]);
    expect(await bodies()).toHaveLength(1);
    expect(JSON.stringify(await bodies())).not.toContain('unheard');
  });
});

describe('the end of an issue', () => {
  const ended = async (by: string, login = 'grace') => {
    const event = scene.opened(`Closed by ${by}`, 'acme/engine', { as: login });
    scene.forge.world.close({ as: by, repo: 'acme/engine', index: event.item.number ?? 0 });
    const { did: _, ...common } = events['inbox:activity'];
    const at = new Date().toISOString();
    await scene.fan(grace, [{ ...common, id: `n-${by}-${login}`, at, repo: event.repo, item: event.item }]);
    return (await bodies()).filter(({ type }) => type === 'event');
  };

  it('reaches its author by default if someone else closed it', async () => {
    expect(await ended('ada')).toMatchObject([{ event: { did: 'closed', kind: 'inbox:replied' } }]);
  });

  it('reaches nobody else by default', async () => {
    expect(await ended('ada', 'linus')).toEqual([]);
    expect(await ended('grace')).toEqual([]);
  });
});

describe('what a person follows in their direct messages', () => {
  const followed = async (title: string, more: Partial<EventOf<'inbox:activity'>> = {}) => {
    await scene.at.store.settings.put(grace, { kinds: { activity: true }, quiet: null });
    const { repo, item } = scene.opened(title, 'acme/engine', {});
    const { did: _, ...common } = events['inbox:activity'];
    const at = new Date().toISOString();
    return { ...common, state: 'open', id: `n-${title}`, at, repo, item, ...more };
  };
  const follow = (number: number | undefined, place = scene.dm('grace')) =>
    scene.at.store.subscriptions.put(
      {
        place,
        target: { kind: 'repo', id: scene.repo('acme/engine').id },
        owner: userOf('grace'),
        filter: JSON.parse(
          JSON.stringify({ ...parseFilter('issues'), ...(number !== undefined && { items: [number] }) }),
        ),
      },
      'acme/engine',
    );

  it('comes from there, not twice', async () => {
    const event = await followed('Followed');
    await follow(event.item.number);
    await scene.fan(grace, [event]);
    expect(await bodies()).toEqual([]);
  });

  it('brings a comment once, from whichever side it comes first', async () => {
    const event = await followed('Both');
    await follow(event.item.number);
    const first = say(event, 'linus', '@grace look');
    const second = say(event, 'linus', '@grace look again');
    const comment = (id: number) => ({
      ...events['comments:issue'],
      id: `c${id}`,
      repo: event.repo,
      item: event.item,
      comment: id,
    });
    const source = { kind: 'repo', id: event.repo.id } as const;
    await scene.fan(grace, [{ ...event, commentUrl: url(event, first.id) }]);
    await scene.fan(source, [comment(first.id), comment(second.id)]);
    await scene.fan(grace, [{ ...event, id: 'n-later', commentUrl: url(event, second.id) }]);
    expect((await dm()).map(({ id }) => id)).toEqual(
      [first, second].map(({ id }) => `comment:r${event.repo.id}-${id}`),
    );
  });

  it('comes from the inbox if another item is followed, or another channel follows it', async () => {
    const event = await followed('Another');
    await follow((event.item.number ?? 0) + 1);
    await follow(event.item.number, { team, channel: 'C0OTHER001' });
    await scene.fan(grace, [event]);
    expect(await bodies()).toHaveLength(1);
  });

  it('comes from the inbox while that subscription is paused', async () => {
    const event = await followed('Paused');
    const sub = await follow(event.item.number);
    await scene.at.store.subscriptions.pause(sub, { reason: 'gone', at: scene.at.now() });
    await scene.fan(grace, [event]);
    expect(await bodies()).toHaveLength(1);
  });

  it('comes from the inbox if the whole repository is followed, or the item has no number', async () => {
    const event = await followed('Whole');
    await follow(undefined);
    await scene.fan(grace, [event]);
    expect(await bodies()).toHaveLength(1);
    const { number: _, ...item } = event.item;
    await scene.fan(grace, [{ ...event, id: 'n-loose', item }]);
    expect(await bodies()).toHaveLength(2);
  });

  it('still includes what they were assigned to', async () => {
    const event = { ...notified('Yours'), kind: 'inbox:assigned' } as const;
    const index = event.item.number ?? 0;
    scene.forge.world.assign({ as: 'ada', repo: 'acme/engine', index, assignees: [] });
    scene.forge.world.assign({ as: 'ada', repo: 'acme/engine', index, assignees: ['grace'] });
    await follow(index);
    await scene.fan(grace, [event]);
    expect(await bodies()).toHaveLength(1);
  });
});
