import { describe, expect, it } from 'vitest';
import type { FeedMark } from '../../src/feed/mark.js';
import { mostDeaths } from '../../src/jobs/feed-deps.js';
import { createPageMemory } from '../../src/jobs/poll.js';
import { close, connect, type SourceState } from '../../src/store/index.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';

describe('polling', () => {
  const services = useFeed({ policy: 'feed: { busySeconds: 15, idleSeconds: 300 }' });
  const feeds = () => services.forge.requests.all.filter(({ path }) => path.endsWith('/activities/feeds')).length;
  const due = async () => {
    const [first] = (await services.store.sources.list()).filter(({ source }) => source.startsWith('repo-'));
    return { wait: (first?.dueAt ?? 0) - services.now(), state: first?.state };
  };

  it('slows down while nothing happens and speeds up when something does', async () => {
    await services.subscribe(engine, 'acme/engine', 'commits');
    await services.poll();
    const waits: number[] = [];
    for (let times = 0; times < 9; times++) {
      await services.poll();
      waits.push((await due()).wait);
    }
    expect(waits.at(-1)).toBe(300_000);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    services.pass(300_000);
    const regular = await services.store.sources.claimDue(10, 60_000);
    for (const each of regular) await services.jobs.steps.poll(each);
    // once more after the last news
    expect((await due()).wait).toBe(0);
    await services.poll();
    expect((await due()).wait).toBeLessThanOrEqual(22_500);
  });

  it('looks a second time after a webhook only if the forge counts more than it showed', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Seen' });
    await services.poll();
    expect((await due()).wait).toBe(15_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Late' });
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Early' });
    const isLate = (row: unknown) => JSON.stringify(row).includes('Late');
    const bend = (body: unknown) => (Array.isArray(body) ? body.filter((row) => !isLate(row)) : body);
    services.forge.faults.add({ on: /engine\/activities/, times: 20, trouble: { bend } });
    await services.poll();
    expect((await due()).wait).toBe(0);
    services.forge.faults.clear();
    services.pass(1_000);
    await services.poll();
    await services.deliver();
    expect(services.shown(engine)).toHaveLength(3);
  });

  it('takes a turn for each request, and holds its source for as long as it reads', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    const { redis, sources } = services.store;
    const key = `repo-${services.forge.world.repo('acme/engine').id}`;
    const lives: number[] = [];
    const hold = async () => {
      const [lease = ''] = await redis.keys(`*${key}*lease*`);
      lives.push(await redis.pttl(lease));
      await redis.pexpire(lease, 5_000);
      services.pass(60_000);
    };
    services.forge.faults.add({ on: /engine\/activities/, times: 20, trouble: { hold } });
    services.pass(600_000);
    services.counts.clear();
    const before = feeds();
    for (const each of await sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    expect(feeds() - before).toBeGreaterThan(1);
    expect(services.counts.get('requests')).toBe(feeds() - before);
    expect(Math.min(...lives)).toBeGreaterThan(5_000);
  });

  const pollOf = async (source: string, about: SourceState['about'], before: SourceState = {}) => {
    const { sources } = services.store;
    await sources.ensure(source, about);
    await sources.note(source, { about, ...before });
    await sources.wake(source);
    for (const each of await sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    return sources.get(source);
  };
  const one = { owner: 'acme', name: 'engine' };
  const ofMany = { ...one, together: true };

  it.each([
    ['a repository', 'repo', one, undefined, 300_000],
    ['an owner with many', 'owner', ofMany, undefined, 75_000],
    ['an owner followed by pattern only', 'owner', one, undefined, 300_000],
    ['one of many, in whose owner’s feed it is', 'repo', { ...ofMany, hidden: false }, undefined, 2_400_000],
    ['one of many, hidden and never seen there', 'repo', { ...ofMany, hidden: true }, undefined, 300_000],
    ['one of many, hidden and seen there', 'repo', { ...ofMany, hidden: true }, true, 2_400_000],
    ['one of many that it missed', 'repo', { ...ofMany, hidden: false }, false, 300_000],
    ['the runs of one of many', 'runs', { ...ofMany, hidden: false }, true, 300_000],
  ])('reads %s no less often than that', async (_what, kind, about, told, most) => {
    const { id, owner } = services.forge.world.repo('acme/engine');
    const before = { tempoMs: 3_600_000, ...(told !== undefined && { told }) };
    const after = await pollOf(`${kind}-${kind === 'owner' ? owner.id : id}`, about, before);
    expect(after).toMatchObject({ tempoMs: most });
  });

  it.each([
    ['so late that its owner’s feed must have missed it', ofMany, 151, {}, false],
    ['as late as its owner’s feed may be', ofMany, 149, {}, true],
    ['by itself', one, 151, {}, true],
    ['right after it was read', ofMany, 151, { askedAt: 0, tempoMs: 170_000 }, true],
    ['with its regular turn', ofMany, 151, { askedAt: 0, tempoMs: 160_000 }, false],
  ])(
    'trusts the owner’s feed or not, for a repository whose news is found %s',
    async (_how, about, late, asked, told) => {
      const { id } = services.forge.world.repo('acme/engine');
      // as far off as it likes: only the forge's own clock counts
      services.setForgeClock(-3_600_000);
      await pollOf(`repo-${id}`, about);
      const askedAt = services.now();
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
      services.pass(late * 1_000);
      const before = { told: true, ...asked, ...('askedAt' in asked && { askedAt }) };
      expect(await pollOf(`repo-${id}`, about, before)).toMatchObject({ told, newAt: services.now() });
      // nothing more happened
      services.pass(3_600_000);
      expect(await pollOf(`repo-${id}`, about, { told: true })).toMatchObject({ told: true });
    },
  );

  it('wakes the repositories that their owner’s feed shows, and only what they have not read', async () => {
    const { world } = services.forge;
    const { marks, sources } = services.store;
    const [engineId, websiteId] = [world.repo('acme/engine').id, world.repo('acme/website').id];
    const ownerFeed = [`owner-${world.repo('acme/engine').owner.id}`, ofMany] as const;
    await pollOf(`repo-${engineId}`, ofMany);
    await pollOf(`repo-${websiteId}`, { ...ofMany, name: 'website' });
    await pollOf(...ownerFeed);
    services.pass(1_000);
    for (const repo of ['acme/engine', 'acme/website', 'acme/vault'])
      world.openIssue({ as: 'ada', repo, title: 'News' });
    await pollOf(`repo-${engineId}`, ofMany);
    await pollOf(`repo-${websiteId}`, { ...ofMany, name: 'website' });
    services.pass(5_000);
    world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'More' });
    await sources.wake(ownerFeed[0]);
    for (const each of await sources.claimDue(10, 60_000)) {
      if (each.source === ownerFeed[0]) await services.jobs.steps.poll(each);
      else await sources.schedule(each, { at: services.now() + 3_600_000 });
    }
    const woken = (await sources.claimDue(10, 60_000)).filter(({ source }) => source !== ownerFeed[0]);
    expect(woken).toMatchObject([{ source: `repo-${engineId}`, woken: true }]);
    // nobody follows it, and it has a past
    expect(await marks.get(`repo-${world.repo('acme/vault').id}`)).toBeUndefined();
    // it shows both
    for (const id of [engineId, websiteId]) expect(await sources.get(`repo-${id}`)).toMatchObject({ told: true });
  });

  it('backs off from a failing forge, reports it, and recovers', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    services.forge.faults.add({ on: /feeds/, trouble: { status: 503 } });
    await services.poll();
    expect((await due()).state?.error).toContain('activity.repoFeed');
    services.pass(120_000);
    await services.round();
    expect((await due()).state?.error).toBeUndefined();
    expect(services.shown(engine)).toHaveLength(1);
  });

  it('notes when it asked, when it was answered and when there was news', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    const began = services.now();
    expect((await due()).state).toMatchObject({ askedAt: began, answeredAt: began });
    expect((await due()).state).not.toHaveProperty('newAt');
    services.pass(60_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    await services.poll();
    const newAt = services.now();
    expect((await due()).state).toMatchObject({ askedAt: newAt, answeredAt: newAt, newAt });
    services.pass(60_000);
    services.forge.faults.add({ on: /feeds/, trouble: { status: 503 } });
    await services.poll();
    const { state } = await due();
    expect(state).toMatchObject({ askedAt: services.now(), answeredAt: newAt, newAt, tempoMs: 30_000 });
    expect(state?.error).toContain('503');
    services.pass(60_000);
    await services.poll();
    expect((await due()).state).toMatchObject({ answeredAt: services.now(), newAt });
  });

  it('waits twice as long each time while the forge fails, up to a limit', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    services.forge.faults.add({ on: /feeds/, trouble: { status: 503 }, times: 100 });
    const waits: number[] = [];
    for (let times = 0; times < 5; times++) {
      await services.poll();
      waits.push((await due()).wait);
    }
    expect(waits).toEqual([45_000, 90_000, 180_000, 300_000, 300_000]);
  });

  it('drops what it does not understand, and what nobody can read any longer', async () => {
    const { sources, marks } = services.store;
    const unlinked = `inbox-${services.slack.teamId}-U0NOBODY01`;
    await marks.begin(unlinked, { time: services.now(), seen: [] });
    for (const key of ['repo-x', 'repo-77', unlinked])
      await sources.ensure(key, key === 'repo-77' ? { owner: 5 } : { owner: '-' });
    for (const each of await sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    expect(await sources.list()).toEqual([]);
    expect(await marks.get(unlinked)).toBeUndefined();
    // nothing holds it
    for (const key of ['repo-77', unlinked]) expect(await marks.lease(key).acquire(1_000)).toBeDefined();
    expect(services.forge.requests.all).toEqual([]);
  });

  it('leaves a source alone for half an hour that several workers died on', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    const key = `repo-${services.forge.world.repo('acme/engine').id}`;
    const { marks, sources } = services.store;
    const poll = async () => {
      await sources.wake(key);
      for (const each of await sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    };
    for (let deaths = 0; deaths < mostDeaths; deaths++) {
      expect(await marks.open(key, 1_000)).toBeDefined();
      // as after the end of its lease
      const redis = connect(services.url);
      for (const lease of await redis.keys(`*${key}*lease*`)) await redis.del(lease);
      await close(redis);
    }
    const before = feeds();
    await poll();
    expect(feeds()).toBe(before);
    const { wait, state } = await due();
    expect({ wait, error: state?.error }).toEqual({ wait: 1_800_000, error: expect.stringContaining('several times') });
    // a webhook does not hurry it
    services.pass(1_000_000);
    await poll();
    expect(feeds()).toBe(before);
    services.pass(800_000);
    await poll();
    expect(feeds()).toBe(before + 1);
    expect((await due()).state).not.toHaveProperty('error');
  });

  it('waits if the forge cannot read the labels a filter needs', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues +label:bug');
    await services.round();
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Leak', labels: ['bug'] });
    services.forge.faults.add({ on: /GET .*issues\/\d+$|issues\/search/, trouble: { status: 503 }, times: 100 });
    await services.poll();
    expect(services.shown(engine)).toEqual([]);
    services.forge.faults.clear();
    services.pass(120_000);
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Leak')]);
  });

  it('posts without its state an item the forge fails to read', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Broken' });
    services.forge.faults.add({ on: /GET .*issues\/\d+$/, trouble: { status: 500 }, times: 100 });
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Broken')]);
  });

  it('polls ten times for ten repositories with a hundred subscriptions', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `r${at}`);
    for (const name of names) services.forge.world.createRepo({ as: 'ada', owner: 'acme', name });
    for (const name of names) {
      const { id } = await services.service.repos.get({ owner: 'acme', repo: name });
      for (let at = 0; at < 10; at++) {
        const place = { team: services.slack.teamId, channel: `C${name.toUpperCase()}X${at}` };
        await services.store.subscriptions.put(
          { place, target: { kind: 'repo', id }, owner: 'U0ADA00001', filter: {} },
          `acme/${name}`,
        );
      }
    }
    await services.poll();
    const before = feeds();
    await services.poll();
    expect(feeds() - before).toBe(10);
  });

  it('writes nothing once it lost its source, and reads it again soon', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    const { marks, redis, sources } = services.store;
    const key = `repo-${services.forge.world.repo('acme/engine').id}`;
    const before = await marks.get(key);
    const hold = async () => void (await redis.set(`bellows:{f0:source:${key}}:lease`, 'another worker'));
    services.forge.faults.add({ on: /engine\/activities/, times: 20, trouble: { hold } });
    await sources.wake(key);
    for (const each of await sources.claimDue(10, 60_000)) expect(await services.jobs.steps.poll(each)).toBe(0);
    expect(await marks.get(key)).toEqual(before);
    expect(services.counts.get('events') ?? 0).toBe(0);
    services.forge.faults.clear();
    await redis.del(`bellows:{f0:source:${key}}:lease`);
    await services.round();
    expect(services.shown(engine)).toHaveLength(1);
  });

  it('posts first what an earlier worker read and left behind', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    const { outbox } = services.store;
    const { append } = outbox;
    outbox.append = async () => {
      throw new Error('Connection is closed.');
    };
    await services.poll();
    outbox.append = append;
    await services.poll();
    await services.deliver();
    expect(services.shown(engine)).toHaveLength(1);
  });

  it('has the subscriptions reconciled as soon as a name is in doubt, and only then', async () => {
    const { redis } = services.store;
    const { id } = services.forge.world.repo('acme/engine');
    const hurried = () => redis.llen('{bellows:f0:sweep}:sweep:wait');
    await pollOf(`repo-${id}`, one);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    await pollOf(`repo-${id}`, one);
    expect(await hurried()).toBe(0);
    services.forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' });
    services.pass(1_000);
    expect(await pollOf(`repo-${id}`, one)).toMatchObject({ about: { ...one, readAt: 0 } });
    expect(await hurried()).toBe(1);
  });

  it('parses no page that it has seen, and only those', () => {
    const memory = createPageMemory();
    const mark = { v: 1, time: 1, seen: {} } as const;
    const later = { ...mark, time: 2 };
    const look = (print: string, now: FeedMark = mark) => {
      const check = memory('repo-1', now);
      return { known: check.known(print), idle: check.idle, remember: check.remember };
    };
    const unknown = { known: false, idle: undefined };
    const first = look('a');
    expect(first).toMatchObject(unknown);
    first.remember(mark);
    expect(look('a')).toMatchObject({ known: true, idle: { events: [], mark, soon: false, capped: false } });
    expect(look('b')).toMatchObject(unknown);
    expect(look('a', later)).toMatchObject(unknown);
    expect(memory('repo-2', mark).known('a')).toBe(false);
    look('c').remember(later);
    for (const print of ['a', 'c']) expect(look(print)).toMatchObject(unknown);
    look('a').remember(mark);
    memory('repo-1', mark).remember(mark);
    for (const print of ['a', '']) expect(look(print)).toMatchObject(unknown);
    const unread = memory('repo-1', undefined);
    expect(unread.known('a')).toBe(false);
    unread.remember(mark);
    expect(look('a')).toMatchObject(unknown);
  });

  it('lets no slow old poller overwrite a newer one', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    const [{ source } = { source: '' }] = (await services.store.sources.list()).filter((each) =>
      each.source.startsWith('repo-'),
    );
    const before = await services.store.marks.get(source);
    const slow = await services.store.marks.lease(source).acquire(10_000);
    if (!slow || !before) throw new Error('no lease');
    await services.store.marks.lease(source).release(slow);
    await services.store.marks.lease(source).acquire(10_000);
    expect(await services.store.marks.commit(source, slow, { ...before, time: 0 }, [])).toBeUndefined();
    expect(await services.store.marks.get(source)).toEqual(before);
  });

  it('does not poll what another worker is polling', async () => {
    await services.subscribe(engine, 'acme/engine', 'commits');
    await services.poll();
    const [{ source } = { source: '' }] = (await services.store.sources.list()).filter((each) =>
      each.source.startsWith('repo-'),
    );
    await services.store.marks.lease(source).acquire(10_000);
    const before = feeds();
    await services.poll();
    expect(feeds()).toBe(before);
  });

  it('stops polling what nobody follows any longer', async () => {
    await services.subscribe(engine, 'acme/engine', 'runs');
    await services.poll();
    for (const sub of await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: engine }))
      await services.store.subscriptions.remove(sub);
    await services.poll();
    expect(await services.store.sources.list()).toEqual([]);
  });

  it('keeps polling by the new name after a rename', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' });
    services.pass(11 * 60_000);
    await services.round();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/motor', title: 'News' });
    await services.round();
    expect(services.shown(engine)).toHaveLength(1);
    expect((await services.store.subscriptions.listFollowed()).map(({ name }) => name)).toEqual(['acme/motor']);
  });

  it('lists a renamed repository by its new name at once, also if a pattern finds out first', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.subscribe('C0GENERAL1', 'acme/*', 'issues');
    await services.round();
    services.pass(6 * 60_000);
    services.forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' });
    await services.round();
    await services.round();
    const names = (await services.store.subscriptions.listFollowed()).map(({ name }) => name);
    expect(names.sort()).toEqual(['acme', 'acme/motor']);
  });
});

describe('polling a server with only the documented operations', () => {
  const services = useFeed({ flavor: 'document', people: { grace: 'U0GRACE001' } });

  it('searches for what is in an inbox', async () => {
    const { sources } = services.store;
    const inbox = `inbox-${services.slack.teamId}-U0GRACE001`;
    await sources.ensure(inbox, { owner: '-' });
    // the first shows that there are no notifications
    for (let polls = 0; polls < 2; polls++) {
      services.forge.requests.clear();
      await sources.wake(inbox);
      for (const each of await sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    }
    const asked = services.forge.requests.all.map(({ path }) => path);
    expect(asked.filter((path) => path.includes('notifications'))).toEqual([]);
    expect(asked.filter((path) => path.includes('issues/search'))).not.toEqual([]);
  });

  it('still posts what happens', async () => {
    const { id } = { id: (await services.service.repos.search({ query: { q: 'engine' } })).items[0]?.id ?? 0 };
    const place = { team: services.slack.teamId, channel: engine };
    await services.store.subscriptions.put(
      { place, target: { kind: 'repo', id }, owner: 'U0ADA00001', filter: { features: { issues: [] } } },
      'acme/engine',
    );
    await services.round();
    const { index } = services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    await services.round();
    expect(services.shown(engine)).toEqual([`ada opened issue #${index} News`]);
  });
});

describe('an owner’s access', () => {
  const services = useFeed({ people: { linus: 'U0ADA00001' } });
  const sub = async () =>
    (await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: engine }))[0];

  it('is checked again after a day; without it the subscription pauses', async () => {
    await services.subscribe(engine, 'acme/website');
    await services.jobs.steps.rights();
    expect((await sub())?.checkedAt).toBeUndefined();
    services.pass(25 * 3_600_000);
    await services.jobs.steps.rights();
    expect((await sub())?.checkedAt).toBe(services.now());
    services.pass(25 * 3_600_000);
    services.forge.world.createRepo({ as: 'ada', owner: 'ada', name: 'diary', private: true });
    await services.subscribe(engine, 'ada/diary');
    services.pass(25 * 3_600_000);
    await services.jobs.steps.rights();
    const diary = (await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: engine })).find(
      ({ paused }) => paused,
    );
    expect(diary?.paused?.reason).toContain('can no longer see the repository');
    await services.deliver();
    expect(services.shown(engine).join('\n')).toContain('Updates on ada/diary are paused. Its owner can no longer see');
  });
});

describe('an owner without a linked account', () => {
  const services = useFeed();
  const subs = () => services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: engine });

  it('keeps a subscription for a day; then it pauses and the channel is notified once', async () => {
    await services.subscribe(engine, 'acme/web*');
    services.pass(25 * 3_600_000);
    await services.jobs.steps.rights();
    expect((await subs())[0]?.paused).toBeUndefined();
    services.pass(24 * 3_600_000);
    await services.jobs.steps.rights();
    await services.jobs.steps.rights();
    expect((await subs())[0]?.paused?.reason).toContain('no linked account');
    await services.deliver();
    expect(services.shown(engine).filter((text) => text.includes('Updates on acme/web* are paused'))).toHaveLength(1);
  });
});
