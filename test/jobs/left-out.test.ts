import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/feed/sources/source.js';
import { tellLeftOut } from '../../src/jobs/poll.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const polled = (time: number, more: { leftOut?: number; total?: number } = {}) => {
  const { total, ...rest } = more;
  const mark = { v: 1, time, seen: {}, ...(total !== undefined && { total }) } as const;
  return { events: [], mark, soon: false, capped: true, ...rest };
};

describe('more than one poll reads', () => {
  const services = useFeed({ people: { ada: 'U0ADA00001' } });
  const about = async () => {
    const { id: ownerId } = await services.service.users.get({ username: 'acme' });
    return { owner: 'acme', name: 'engine', ownerId, hidden: false };
  };
  const repo = () => ({ kind: 'repo', id: services.forge.world.repo('acme/engine').id }) as const;
  const tell = async (more: { leftOut?: number; total?: number }, source: Source = repo()) => {
    await tellLeftOut(services, source, await about(), polled(services.now(), more));
    await services.deliver();
  };

  it('says in each channel once how much of a long backlog is not shown', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.subscribe('C0GENERAL1', 'acme/*', 'issues');
    await services.round();
    for (let times = 0; times < 2; times++) await tell({ leftOut: 120, total: 5_000 });
    for (const channel of [engine, 'C0GENERAL1'])
      expect(services.shown(channel)).toEqual([
        expect.stringContaining('120 older updates in acme/engine are not shown'),
      ]);
    await tell({ leftOut: 1, total: 6_000 });
    expect(services.shown(engine).at(-1)).toContain('1 older update in acme/engine is not shown');
  });

  it('says so when a poll meets its limit', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    const { world } = services.forge;
    world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Flood' });
    const row = world.state.feed
      .ofRepo(world.repo('acme/engine'))
      .findLast(({ receiver, actor }) => receiver === actor);
    if (!row) throw new Error('no row');
    for (let more = 0; more < 10_100; more++) world.state.feed.add({ ...row, id: world.state.nextId('activity') });
    await services.poll();
    expect(services.counts.get('capped')).toBe(1);
    const place = { team: services.slack.teamId, channel: engine };
    const { entries } = await services.store.outbox.view(place, 20_000);
    expect(JSON.stringify(entries[0])).toMatch(/10\d older updates in .*acme\/engine.* are not shown/);
  });

  it('says so without a number if the server does not count', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await tell({});
    services.pass(60_000);
    await tell({});
    const words = expect.stringContaining('Some older updates in acme/engine are not shown');
    expect(services.shown(engine)).toEqual([words, words]);
  });

  it('says nothing where the repository is not followed, or not now', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.subscribe('C0GENERAL1', 'acme/web*', 'issues');
    const place = { team: services.slack.teamId, channel: engine };
    for (const sub of await services.store.subscriptions.inChannel(place))
      await services.store.subscriptions.pause(sub, { reason: 'Its owner has left.', at: services.now() });
    await tell({ leftOut: 120 });
    expect([services.shown(engine), services.shown('C0GENERAL1')]).toEqual([[], []]);
  });

  it('says so about a person who is followed, and not about what is only read to find out more', async () => {
    const { id } = await services.service.users.get({ username: 'grace' });
    const place = { team: services.slack.teamId, channel: engine };
    const target = { kind: 'user', id } as const;
    await services.store.subscriptions.put({ place, target, owner: 'U0ADA00001', filter: {} }, 'grace');
    await services.subscribe(engine, 'acme/engine', 'issues');
    await tellLeftOut(services, { kind: 'user', id }, { owner: 'grace' }, polled(services.now(), { leftOut: 7 }));
    for (const kind of ['owner', 'runs', 'items'] as const) await tell({ leftOut: 120 }, { kind, id: repo().id });
    expect(services.shown(engine)).toEqual([expect.stringContaining('7 older updates in grace are not shown')]);
  });
});

describe('more than one poll reads of a private repository', () => {
  const services = useFeed({ people: { linus: 'U0ADA00001' } });

  it('is not even mentioned in a channel whose owner cannot see it', async () => {
    await services.subscribe('C0PRIVATE1', 'acme/vault', 'issues');
    const source = { kind: 'repo', id: services.forge.world.repo('acme/vault').id } as const;
    await tellLeftOut(services, source, { owner: 'acme', name: 'vault' }, polled(services.now(), { leftOut: 120 }));
    await services.deliver();
    expect(JSON.stringify(services.slack.state.messages('C0PRIVATE1'))).not.toContain('older updates');
  });
});
