import { describe, expect, it } from 'vitest';
import { createItemReader, stateMatters } from '../../../src/jobs/fanout.js';
import { events } from '../../feed/samples/events.js';
import { room, useFanout } from './scene.js';

const scene = useFanout();
const source = () => ({ kind: 'repo', id: scene.repo('acme/engine').id }) as const;
const down = { on: 'GET /repos/{owner}/{repo}/issues/{index}', times: 1_000, trouble: { status: 500 } } as const;

describe('the state of items', () => {
  it('is read one by one if there are few', async () => {
    const all = ['A', 'B'].map((title) => scene.opened(title));
    scene.forge.requests.clear();
    const { states, unread } = await createItemReader(scene.deps)([...all, ...all]);
    expect([...states.values()].map(({ title }) => title).sort()).toEqual(['A', 'B']);
    expect(unread.size).toBe(0);
    expect(scene.forge.requests.of('GET /repos/{owner}/{repo}/issues/{index}')).toHaveLength(2);
  });

  it('is read by one search if there are many, or single ones cannot be read', async () => {
    const all = Array.from({ length: 21 }, (_, at) => scene.opened(`Many ${at}`));
    scene.forge.requests.clear();
    const { states } = await createItemReader(scene.deps)(all);
    expect(states.size).toBe(21);
    expect(scene.forge.requests.of('GET /repos/{owner}/{repo}/issues/{index}')).toHaveLength(0);
    scene.world.lacks.add('issues.get');
    expect((await createItemReader(scene.deps)(all.slice(0, 2))).states.size).toBe(2);
  });

  it('of deleted items is absent; unreadable ones are named', async () => {
    const there = scene.opened('There');
    const gone = { ...there, item: { ...there.item, number: 99_999, thread: 'gone' } };
    const first = await createItemReader(scene.deps)([there, gone]);
    expect([first.states.has(there.item.thread ?? ''), first.states.has('gone')]).toEqual([true, false]);
    expect(first.unread.size).toBe(0);
    for (const status of [500, 403]) {
      scene.forge.faults.clear();
      scene.forge.faults.add({ ...down, trouble: { status } });
      const second = await createItemReader(scene.deps)([there]);
      expect([...second.unread]).toEqual([there.item.thread]);
      expect(second.states.size).toBe(0);
    }
  });

  it('of a pull request includes its verdicts; an unreadable one is named', async () => {
    scene.forge.world.push({ as: 'grace', repo: 'acme/engine', branch: 'seal', commits: [{ message: 'Seal' }] });
    const { index } = scene.forge.world.openPull({ as: 'grace', repo: 'acme/engine', title: 'Seal', head: 'seal' });
    scene.forge.world.review({ as: 'ada', repo: 'acme/engine', index, verdict: 'approve', body: 'Good' });
    scene.forge.world.createUser({ login: 'mallory' });
    scene.forge.world.review({ as: 'mallory', repo: 'acme/engine', index, verdict: 'approve', body: 'Do it' });
    const repo = scene.repo('acme/engine');
    const event = { ...events['pulls:opened'], repo, item: { ...events['pulls:opened'].item, number: index } };
    const { states } = await createItemReader(scene.deps)([event]);
    expect([...states.values()]).toMatchObject([{ kind: 'pull', title: 'Seal', verdicts: { approvedBy: ['ada'] } }]);
    for (const status of [500, 403]) {
      const on = 'GET /repos/{owner}/{repo}/pulls/{index}';
      const heal = scene.forge.faults.add({ on, times: 1_000, trouble: { status } });
      const refused = await createItemReader(scene.deps)([event]);
      heal();
      expect([[...refused.unread], refused.states.size]).toEqual([[event.item.thread], 0]);
    }
    scene.world.lacks.add('pulls.get');
    const plain = await createItemReader(scene.deps)([event]);
    expect([...plain.states.values()]).toMatchObject([{ kind: 'pull', title: 'Seal' }]);
    expect([...plain.states.values()][0]).not.toHaveProperty('verdicts');
  });

  it('matters for issues and pull requests that may be posted to a channel', () => {
    expect(stateMatters(events['issues:opened'])).toBe(true);
    expect(stateMatters(events['comments:pull'])).toBe(true);
    expect(stateMatters(events['commits:pushed'])).toBe(false);
    expect(stateMatters(events['inbox:assigned'])).toBe(false);
    expect(stateMatters(events['runs:failure'])).toBe(false);
  });
});

describe('an item that cannot be read', () => {
  it('holds up only subscriptions whose filter needs it; it is posted when it can be read', async () => {
    const other = { ...room, channel: 'C0OTHER001' };
    await scene.follow('issues +label:bug');
    await scene.follow('issues', undefined, other);
    const event = scene.opened('Sick');
    const { thread = '', number = 0 } = event.item;
    scene.forge.world.label({ as: 'ada', repo: 'acme/engine', index: number, labels: ['bug'] });
    scene.forge.faults.add(down);
    await scene.fan(source(), [event]);
    expect(await scene.waiting()).toEqual([]);
    expect((await scene.waiting(other))[0]?.body).not.toHaveProperty('item');
    expect(await scene.at.store.incomplete.waiting([thread])).toMatchObject([{ id: event.id, source: 'repo-1' }]);
    scene.forge.faults.clear();
    const again = await scene.again(source(), [event], false);
    expect(again.outgoing.map(({ place }) => place.channel).sort()).toEqual(['C0OTHER001', 'C0ROOM0001']);
    expect(await scene.waiting()).toHaveLength(1);
    expect(await scene.waiting(other)).toHaveLength(1);
  });

  it('is posted without it when nobody waits any longer', async () => {
    await scene.follow('issues +label:bug');
    const event = scene.opened('Lost');
    scene.forge.faults.add(down);
    const { unread, outgoing } = await scene.again(source(), [event], true);
    expect([...unread]).toEqual([event.item.thread]);
    expect(outgoing).toHaveLength((await scene.waiting()).length);
    expect(await scene.why(event)).not.toEqual([[false, 'the forge has not reported its state yet']]);
  });

  it('goes before later events once it can be read', async () => {
    await scene.follow('issues +label:bug comments');
    const event = scene.opened('First');
    const { number = 0 } = event.item;
    scene.forge.world.label({ as: 'ada', repo: 'acme/engine', index: number, labels: ['bug'] });
    scene.forge.faults.add(down);
    await scene.fan(source(), [event]);
    scene.forge.faults.clear();
    const comment = { ...events['comments:issue'], id: 'c1', repo: event.repo, item: event.item };
    await scene.fan(source(), [comment]);
    expect((await scene.waiting()).map(({ body }) => (body as { event: { id: string } }).event.id)).toEqual([
      'e-First',
      'c1',
    ]);
  });
});

describe('what someone closed themselves', () => {
  it('shows on the card in their direct messages, though the forge does not notify them', async () => {
    await scene.link('grace');
    await scene.follow('issues');
    const event = scene.opened('Own');
    const { thread = '', number = 0 } = event.item;
    scene.forge.world.close({ as: 'grace', repo: 'acme/engine', index: number });
    const closed = { ...events['issues:closed'], id: 'x1', repo: event.repo, item: event.item, actor: event.actor };
    await scene.fan(source(), [closed]);
    expect(await scene.waiting(scene.dm('grace'))).toEqual([]);
    await scene.at.store.threads.put(scene.dm('grace'), { item: thread, ts: '1.0' });
    await scene.fan(source(), [{ ...closed, id: 'x2' }]);
    expect(await scene.waiting(scene.dm('grace'))).toMatchObject([
      { body: { type: 'update', thread, now: true, item: { state: 'closed' } } },
    ]);
    const comment = { ...events['comments:issue'], id: 'c9', repo: event.repo, item: event.item, actor: event.actor };
    scene.at.pass(1_000);
    await scene.fan(source(), [comment]);
    expect(await scene.waiting(scene.dm('grace'))).toHaveLength(1);
  });
});
