import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/feed/event.js';
import { events } from '../../feed/samples/events.js';
import { room, team, useFanout } from './scene.js';

const scene = useFanout();
const source = () => ({ kind: 'repo', id: scene.repo('acme/engine').id }) as const;
const runs = () => ({ kind: 'runs', id: scene.repo('acme/engine').id }) as const;
const other = { team, channel: 'C0OTHER001' };
const types = async (place = room) => (await scene.waiting(place)).map(({ body }) => (body as { type: string }).type);
const card = (event: Event, place = room) =>
  scene.at.store.threads.put(place, { item: event.item.thread ?? '', ts: '1.0' });

describe('a channel that does not want an event', () => {
  const closed = (title: string): Event => {
    const { repo, item, actor } = scene.opened(title);
    scene.forge.world.close({ as: 'ada', repo: 'acme/engine', index: item.number ?? 0 });
    return { ...events['issues:closed'], id: `x-${title}`, repo, item, actor };
  };

  it('silently updates the card it has', async () => {
    await scene.follow('pulls');
    const event = closed('Shown');
    await card(event);
    await scene.fan(source(), [event]);
    const thread = event.item.thread ?? '';
    expect(await scene.waiting()).toMatchObject([
      {
        id: `update:${thread}:x-Shown`,
        card: `update:${thread}`,
        body: {
          type: 'update',
          thread,
          now: true,
          item: { title: 'Shown', state: 'closed' },
          of: {
            repo: { id: event.repo.id },
            subscription: `${team}/${room.channel} r${event.repo.id}`,
            units: ['issues'],
          },
        },
      },
    ]);
  });

  it('is left alone if it shows no card, or its subscription is paused', async () => {
    await scene.follow('pulls');
    const paused = await scene.follow('pulls', undefined, other);
    await scene.at.store.subscriptions.pause(paused, { reason: 'gone', at: scene.at.now() });
    const event = closed('Elsewhere');
    await card(event, other);
    await scene.fan(source(), [event]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.waiting(other)).toEqual([]);
  });

  it('that wants it gets a message, and its card is not drawn separately', async () => {
    await scene.follow('issues');
    const event = closed('Told');
    await card(event);
    await scene.fan(source(), [event]);
    expect(await types()).toEqual(['event']);
  });

  it('does nothing about events without a thread, or with an unknown item', async () => {
    await scene.follow('pulls');
    const { thread: _, ...item } = closed('Loose').item;
    const { repo } = scene.opened('Loose too');
    await scene.fan(source(), [{ ...events['issues:closed'], repo, item }]);
    const gone = { ...events['issues:closed'], id: 'x-gone', repo };
    const unknown = { ...gone, item: { ...gone.item, number: 99_999, thread: 'r1-n99999' } };
    await card(unknown);
    await scene.fan(source(), [unknown]);
    expect(await scene.waiting()).toEqual([]);
  });
});

describe('a run', () => {
  const run = (more: Partial<Event> & object = {}): Event =>
    ({ ...events['runs:success'], repo: scene.repo('acme/engine'), ...more }) as Event;

  it('that fixed a broken branch shows on the card of the failure, even if nobody follows green runs', async () => {
    await scene.follow('runs:failure');
    const event = run();
    await card(event);
    await scene.fan(runs(), [event]);
    expect(await scene.waiting()).toMatchObject([
      { body: { type: 'update', thread: event.item.thread, fixed: { number: 4, url: event.item.url } } },
    ]);
  });

  it('that is green as before shows nothing', async () => {
    await scene.follow('runs:failure');
    const { transition: _, ...facts } = events['runs:success'].run;
    const plain = run({ run: facts });
    await card(plain);
    await scene.fan(runs(), [plain]);
    const late = run({ id: 'e-late', run: { ...facts, transition: { to: 'green' } } });
    await scene.fan(runs(), [late]);
    const red = { ...events['runs:failure'], id: 'e-red', repo: scene.repo('acme/engine') };
    await scene.follow('issues', undefined, other);
    await card(red, other);
    await scene.fan(runs(), [red]);
    expect(await types()).not.toContain('update');
    expect(await scene.waiting(other)).toEqual([]);
  });

  it('that continues updates its card in each channel that has one, and posts nothing', async () => {
    await scene.follow('runs');
    await scene.follow('runs', undefined, other);
    const now = 'running';
    const event = run({ id: 'e-on', run: { ...events['runs:success'].run, now } });
    await card(event);
    await scene.fan(runs(), [event]);
    const thread = event.item.thread ?? '';
    expect(await scene.waiting()).toMatchObject([
      {
        id: `update:${thread}:e-on`,
        card: `update:${thread}`,
        body: {
          type: 'update',
          thread,
          run: now,
          of: {
            repo: { id: event.repo.id },
            subscription: `${team}/${room.channel} r${event.repo.id}`,
            units: ['actions'],
          },
        },
      },
    ]);
    expect(await scene.waiting(other)).toEqual([]);
    const { thread: _, ...item } = event.item;
    await scene.fan(runs(), [{ ...event, id: 'e-loose', item }]);
    expect(await scene.waiting()).toHaveLength(1);
  });

  it('that continues without followers changes nothing', async () => {
    const event = run({ id: 'e-on', run: { ...events['runs:success'].run, now: 'running' } });
    await card(event);
    await scene.fan(runs(), [event]);
    expect(await scene.waiting()).toEqual([]);
  });
});

describe('cards under links', () => {
  it('are checked again after their item changed, and only those', async () => {
    await scene.follow('issues');
    const event = scene.opened('Linked');
    const shown = { channel: 'C0LINK0001', ts: '5.0', url: event.item.url, shown: '' };
    await scene.at.store.links.put(event.item.thread ?? '', { team, user: 'U0ADA00001' }, shown);
    const { thread: _, ...item } = scene.opened('Loose').item;
    await scene.fan(source(), [event, { ...event, id: 'e-loose', item }]);
    expect(await scene.at.store.links.due(10, 60_000)).toEqual([]);
    scene.at.pass(1_000);
    expect(await scene.at.store.links.due(10, 60_000)).toMatchObject([{ item: event.item.thread }]);
  });
});

describe('what someone closed or opened themselves', () => {
  const action = async (kind: 'issues:closed' | 'issues:reopened' | 'issues:opened', more: object = {}) => {
    await scene.link('grace');
    await scene.follow('issues');
    const opened = scene.opened(`${kind} of theirs`);
    await scene.at.store.threads.put(scene.dm('grace'), { item: opened.item.thread ?? '', ts: '1.0' });
    const { repo, item, actor } = opened;
    await scene.fan(source(), [{ ...events[kind], id: 'o1', repo, item, actor, ...more } as Event]);
    return (await scene.waiting(scene.dm('grace'))).length;
  };

  it('is shown for each change back and forth, and for nothing else', async () => {
    expect(await action('issues:closed')).toBe(1);
  });
  it('is shown when it is reopened', async () => {
    expect(await action('issues:reopened')).toBe(1);
  });
  it('is not shown for an opening', async () => {
    expect(await action('issues:opened')).toBe(0);
  });
  it('is not shown if nobody knows who it was', async () => {
    expect(await action('issues:closed', { actor: null })).toBe(0);
  });
  it('is not shown if the item cannot be read', async () => {
    const item = { ...events['issues:closed'].item, number: 99_999 };
    expect(await action('issues:closed', { item })).toBe(0);
  });
});
