import { describe, expect, it } from 'vitest';
import type { OutboxPlace, Store } from '../../../src/store/index.js';
import { events } from '../../feed/samples/events.js';
import { room, team, useFanout, userOf } from './scene.js';

const scene = useFanout();
const source = () => ({ kind: 'repo', id: scene.repo('acme/engine').id }) as const;
const other = { team, channel: 'C0OTHER001' };

describe('an event', () => {
  it('goes to each channel that follows its repository, once, with the item’s current state', async () => {
    await scene.follow('issues');
    await scene.follow('issues', undefined, other);
    const event = scene.opened('Steam');
    await scene.fan(source(), [event]);
    await scene.fan(source(), [event]);
    for (const place of [room, other]) {
      const [entry, ...more] = await scene.waiting(place);
      expect(more).toEqual([]);
      expect(entry?.body).toMatchObject({
        type: 'event',
        event: { id: event.id },
        item: { title: 'Steam', state: 'open' },
        subscription: `${team}/${place.channel} r${event.repo.id}`,
        style: 'card',
        threaded: true,
      });
    }
  });

  it('that nobody follows requests nothing from the forge and leaves nothing behind', async () => {
    const event = scene.opened('Alone');
    scene.forge.requests.clear();
    await scene.fan(source(), [event], { ownerId: 1 });
    expect(scene.forge.requests.all).toEqual([]);
    expect(await scene.why(event)).toEqual([]);
  });

  it('that a filter leaves out is not queued, and `why` says so', async () => {
    await scene.follow('pulls');
    const event = scene.opened('Left out');
    await scene.fan(source(), [event]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.why(event)).toEqual([[false, 'the subscription does not include issues']]);
  });

  it('is decided by its item’s current state', async () => {
    await scene.follow('issues +label:bug');
    const plain = scene.opened('Plain');
    const bug = scene.opened('Bug');
    scene.forge.world.label({ as: 'ada', repo: 'acme/engine', index: bug.item.number ?? 0, labels: ['bug'] });
    await scene.fan(source(), [plain, bug]);
    expect((await scene.waiting()).map(({ body }) => (body as { event: { id: string } }).event.id)).toEqual(['e-Bug']);
  });

  it('goes out in the forge’s order', async () => {
    await scene.follow('issues');
    const all = ['A', 'B', 'C'].map((title) => scene.opened(title));
    await scene.fan(source(), all);
    expect((await scene.waiting()).map(({ body }) => (body as { event: { id: string } }).event.id)).toEqual([
      'e-A',
      'e-B',
      'e-C',
    ]);
  });

  it('by a subscriber themselves is left out if they said so', async () => {
    await scene.follow('issues self:off', undefined, room, userOf('grace'));
    await scene.follow('issues self:off', undefined, other, userOf('ada'));
    const event = scene.opened('Mine');
    await scene.fan(source(), [event]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.waiting(other)).toHaveLength(1);
    scene.world.relinked = { [userOf('grace')]: 'hopper', [userOf('ada')]: 'grace' };
    scene.at.pass(10 * 60_000);
    await scene.fan(source(), [scene.opened('Mine as well')]);
    expect(await scene.waiting()).toHaveLength(1);
    expect(await scene.waiting(other)).toHaveLength(1);
  });

  it('of a paused subscription is not queued', async () => {
    const sub = await scene.follow('issues');
    await scene.at.store.subscriptions.pause(sub, { reason: 'gone', at: scene.at.now() });
    const event = scene.opened('Paused');
    await scene.fan(source(), [event]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.why(event)).toEqual([[false, 'the subscription is paused: gone']]);
  });

  it('under a pattern follows the name, and the owner’s access if it is hidden', async () => {
    const { id } = scene.forge.world.user('acme') ?? { id: 0 };
    await scene.follow('issues', { kind: 'owner', id, pattern: 'v*' });
    const engine = scene.opened('Not this');
    const vault = scene.opened('Secret', 'acme/vault');
    const hidden = { ...vault, repo: { ...vault.repo, hidden: true } };
    scene.world.sees = false;
    await scene.fan({ kind: 'owner', id }, [engine, hidden]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.why(hidden)).toEqual([[false, expect.stringContaining('paused')]]);
    const website = scene.opened('Typo', 'acme/website');
    await scene.follow('issues', { kind: 'owner', id, pattern: 'web*' }, other);
    await scene.fan({ kind: 'owner', id }, [website]);
    expect(await scene.waiting(other)).toHaveLength(1);
  });

  it('by a followed person reaches that person’s followers', async () => {
    const { id } = scene.forge.world.user('grace') ?? { id: 0 };
    await scene.follow('issues', { kind: 'user', id }, other);
    await scene.follow('issues');
    await scene.fan({ kind: 'user', id }, [scene.opened('Hers')]);
    expect(await scene.waiting(other)).toHaveLength(1);
    expect(await scene.waiting()).toEqual([]);
  });

  it('of a subscription that cannot be read is left out, and the others get it', async () => {
    await scene.at.store.subscriptions.put(
      { place: room, target: source(), owner: userOf('ada'), filter: { clauses: 7 } },
      'acme/engine',
    );
    await scene.follow('issues', undefined, other);
    await scene.fan(source(), [scene.opened('Odd')]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.waiting(other)).toHaveLength(1);
  });

  it('that starts to match is posted once', async () => {
    await scene.follow('issues +label:bug');
    const event = scene.opened('Later');
    const labeled = { ...events['issues:labeled'], id: 'l1', repo: event.repo, item: event.item };
    scene.forge.world.label({ as: 'ada', repo: 'acme/engine', index: event.item.number ?? 0, labels: ['bug'] });
    await scene.at.store.threads.put(room, { item: event.item.thread ?? '', ts: '1.0' });
    await scene.fan(source(), [labeled]);
    expect(await scene.waiting()).toEqual([]);
    expect(await scene.why(labeled)).toEqual([[false, 'it is already shown here']]);
    await scene.at.store.threads.forget(room, event.item.thread ?? '');
    await scene.fan(source(), [{ ...labeled, id: 'l2' }]);
    expect(await scene.waiting()).toHaveLength(1);
  });

  it('of a muted repository waits beside its channel, for a digest; others do not', async () => {
    const { id: ownerId } = scene.forge.world.user('acme') ?? { id: 0 };
    await scene.follow('issues', { kind: 'owner', id: ownerId, pattern: '*' });
    const { id } = source();
    await scene.at.store.outbox.pause({ ...room, lane: id }, 'muted', scene.at.now() + 60_000);
    await scene.fan({ kind: 'owner', id: ownerId }, [scene.opened('Quiet'), scene.opened('Loud', 'acme/website')]);
    expect(await scene.waiting()).toMatchObject([{ body: { event: { id: 'e-Loud' } } }]);
    expect((await scene.waiting())[0]?.body).not.toHaveProperty('canWait');
    expect(await scene.waiting({ ...room, lane: id })).toMatchObject([{ body: { canWait: true } }]);
  });

  it.each([
    ['was lost when its mute ended', (store: Store, lane: OutboxPlace) => store.outbox.pause(lane, 'archived')],
    [
      'is muted in a lost channel',
      async (store: Store, lane: OutboxPlace) => {
        await store.outbox.pause(lane, 'muted', scene.at.now() + 60_000);
        await store.outbox.pause(room, 'archived');
      },
    ],
    ['is muted', (store: Store, lane: OutboxPlace) => store.outbox.pause(lane, 'muted', scene.at.now() + 60_000)],
  ])('of a repository that %s is only counted once a thousand wait', async (_how, pause) => {
    await scene.follow('issues');
    const lane = { ...room, lane: source().id };
    await pause(scene.at.store, lane);
    const body = { type: 'message', message: { text: 'before' } };
    const before = Array.from({ length: 999 }, (_, at) => ({ id: `before ${at}`, body }));
    await scene.at.store.outbox.append(lane, before);
    const late = scene.opened('Late');
    await scene.fan(source(), [scene.opened('Last')]);
    await scene.fan(source(), [late]);
    await scene.fan(source(), [scene.opened('Later')]);
    const { size, entries } = await scene.at.store.outbox.view(lane, 2_000);
    expect(size).toBe(1_001);
    expect(JSON.stringify(entries.at(-1))).toContain('2 more updates arrived while updates were paused here');
    expect(await scene.why(late)).toEqual([[false, 'updates are paused here and too many are waiting']]);
  });

  it('is queued however many wait, as long as nothing is paused', async () => {
    await scene.follow('issues');
    const body = { type: 'message', message: { text: 'before' } };
    const before = Array.from({ length: 1_000 }, (_, at) => ({ id: `before ${at}`, body }));
    await scene.at.store.outbox.append(room, before);
    const late = scene.opened('Late');
    await scene.fan(source(), [late]);
    const { entries } = await scene.at.store.outbox.view(room, 2_000);
    expect(entries.at(-1)?.body).toMatchObject({ type: 'event', event: { id: late.id } });
  });

  it('stays in the log until it is queued', async () => {
    await scene.follow('issues');
    const event = scene.opened('Interrupted');
    const { outbox, marks } = scene.at.store;
    const { append } = outbox;
    outbox.append = async () => {
      throw new Error('Connection is closed.');
    };
    await expect(scene.log(source(), [event])).rejects.toThrow('Connection is closed.');
    outbox.append = append;
    expect(await marks.unread(`repo-${source().id}`)).toMatchObject([{ id: event.id }]);
  });

  it('is not left in the log because many came at once', async () => {
    await scene.follow('pulls');
    const first = scene.opened('First');
    const many = Array.from({ length: 501 }, (_, at) => ({ ...first, id: `many ${at}` }));
    expect(await scene.log(source(), many)).toEqual([]);
  });

  it('of a muted channel waits in it, for a digest', async () => {
    await scene.follow('issues');
    await scene.at.store.outbox.pause(room, 'muted', scene.at.now() + 60_000);
    await scene.fan(source(), [scene.opened('Quiet too')]);
    expect(await scene.waiting()).toMatchObject([{ body: { canWait: true } }]);
    await scene.at.store.outbox.resume(room);
    await scene.fan(source(), [scene.opened('Loud')]);
    expect((await scene.waiting())[1]?.body).not.toHaveProperty('canWait');
  });
});

describe('the log of a source', () => {
  it('is emptied', async () => {
    await scene.follow('issues');
    expect(await scene.log(source(), [scene.opened('One'), scene.opened('Two')])).toEqual([]);
    expect(await scene.ids()).toHaveLength(2);
  });

  it('without events stays unchanged', async () => {
    expect(await scene.log(source(), [])).toEqual([]);
    await scene.fan(source(), []);
    expect(await scene.at.store.outbox.pending()).toEqual([]);
  });
});
