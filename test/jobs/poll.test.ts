import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';

describe('polling', () => {
  const house = useFeed({ policy: 'feed: { busySeconds: 15, idleSeconds: 300 }' });
  const feeds = () => house.forge.requests.all.filter(({ path }) => path.endsWith('/activities/feeds')).length;
  const due = async () => {
    const [first] = (await house.store.sources.list()).filter(({ source }) => source.startsWith('repo-'));
    return { wait: (first?.dueAt ?? 0) - house.now(), state: first?.state };
  };

  it('slows down while nothing happens and hurries when something does', async () => {
    await house.subscribe(engine, 'acme/engine', 'commits');
    await house.poll();
    const waits: number[] = [];
    for (let times = 0; times < 9; times++) {
      await house.poll();
      waits.push((await due()).wait);
    }
    expect(waits.at(-1)).toBe(300_000);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    await house.poll();
    // once more after the last news
    expect((await due()).wait).toBe(0);
    await house.poll();
    expect((await due()).wait).toBeLessThanOrEqual(22_500);
  });

  it('backs off from a forge in trouble, says so, and recovers', async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.round();
    house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    house.forge.faults.add({ on: /feeds/, trouble: { status: 503 }, times: 2 });
    await house.poll();
    expect((await due()).state?.error).toContain('activity.repoFeed');
    house.pass(120_000);
    await house.round();
    expect((await due()).state?.error).toBeUndefined();
    expect(house.shown(engine)).toHaveLength(1);
  });

  it('waits for a forge that cannot tell the labels a filter asks for', async () => {
    await house.subscribe(engine, 'acme/engine', 'issues +label:bug');
    await house.round();
    house.pass(1_000);
    house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Leak', labels: ['bug'] });
    house.forge.faults.add({ on: /GET .*issues\/\d+$|issues\/search/, trouble: { status: 503 }, times: 100 });
    await house.poll();
    expect(house.shown(engine)).toEqual([]);
    house.forge.faults.clear();
    house.pass(120_000);
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('Leak')]);
  });

  it('tells without its state what the forge fails to read', async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.round();
    house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Broken' });
    house.forge.faults.add({ on: /GET .*issues\/\d+$/, trouble: { status: 500 }, times: 100 });
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('Broken')]);
  });

  it('asks ten times for ten repositories with a thousand subscriptions', { timeout: 60_000 }, async () => {
    const names = Array.from({ length: 10 }, (_, at) => `r${at}`);
    for (const name of names) house.forge.world.createRepo({ as: 'ada', owner: 'acme', name });
    for (const name of names) {
      const { id } = await house.service.repos.get({ owner: 'acme', repo: name });
      for (let at = 0; at < 100; at++) {
        const place = { team: house.slack.teamId, channel: `C${name.toUpperCase()}X${at}` };
        await house.store.subscriptions.put(
          { place, target: { kind: 'repo', id }, owner: 'U0ADA00001', filter: {} },
          `acme/${name}`,
        );
      }
    }
    await house.poll();
    const before = feeds();
    await house.poll();
    expect(feeds() - before).toBe(10);
  });

  it('lets no slow old poller overwrite a newer one', async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.poll();
    const [{ source } = { source: '' }] = (await house.store.sources.list()).filter((each) =>
      each.source.startsWith('repo-'),
    );
    const before = await house.store.marks.get(source);
    const slow = await house.store.marks.lease(source).acquire(10_000);
    if (!slow || !before) throw new Error('no lease');
    await house.store.marks.lease(source).release(slow);
    await house.store.marks.lease(source).acquire(10_000);
    expect(await house.store.marks.commit(source, slow, { ...before, time: 0 }, [])).toBeUndefined();
    expect(await house.store.marks.get(source)).toEqual(before);
  });

  it('does not poll what another worker is polling', async () => {
    await house.subscribe(engine, 'acme/engine', 'commits');
    await house.poll();
    const [{ source } = { source: '' }] = (await house.store.sources.list()).filter((each) =>
      each.source.startsWith('repo-'),
    );
    await house.store.marks.lease(source).acquire(10_000);
    const before = feeds();
    await house.poll();
    expect(feeds()).toBe(before);
  });

  it('stops polling what nobody follows any more', async () => {
    await house.subscribe(engine, 'acme/engine', 'runs');
    await house.poll();
    for (const sub of await house.store.subscriptions.inChannel({ team: house.slack.teamId, channel: engine }))
      await house.store.subscriptions.remove(sub);
    await house.poll();
    expect(await house.store.sources.list()).toEqual([]);
  });

  it('keeps polling by the new name after a rename', async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.round();
    house.forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' });
    house.pass(11 * 60_000);
    await house.round();
    house.forge.world.openIssue({ as: 'ada', repo: 'acme/motor', title: 'News' });
    await house.round();
    expect(house.shown(engine)).toHaveLength(1);
    expect((await house.store.subscriptions.followed()).map(({ name }) => name)).toEqual(['acme/motor']);
  });
});

describe('polling a server that speaks only the document', () => {
  const house = useFeed({ flavour: 'document' });

  it('still tells what happens', async () => {
    const { id } = { id: (await house.service.repos.search({ query: { q: 'engine' } })).items[0]?.id ?? 0 };
    const place = { team: house.slack.teamId, channel: engine };
    await house.store.subscriptions.put(
      { place, target: { kind: 'repo', id }, owner: 'U0ADA00001', filter: { features: { issues: [] } } },
      'acme/engine',
    );
    await house.round();
    const { index } = house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
    await house.round();
    expect(house.shown(engine)).toEqual([`ada opened issue #${index} News`]);
  });
});

describe("an owner's right to see", () => {
  const house = useFeed({ people: { linus: 'U0ADA00001' } });
  const sub = async () => (await house.store.subscriptions.inChannel({ team: house.slack.teamId, channel: engine }))[0];

  it('is looked at again after a day; without it the subscription pauses', async () => {
    await house.subscribe(engine, 'acme/website');
    await house.jobs.steps.rights();
    expect((await sub())?.checkedAt).toBeUndefined();
    house.pass(25 * 3_600_000);
    await house.jobs.steps.rights();
    expect((await sub())?.checkedAt).toBe(house.now());
    house.pass(25 * 3_600_000);
    house.forge.world.createRepo({ as: 'ada', owner: 'ada', name: 'diary', private: true });
    await house.subscribe(engine, 'ada/diary');
    house.pass(25 * 3_600_000);
    await house.jobs.steps.rights();
    const diary = (await house.store.subscriptions.inChannel({ team: house.slack.teamId, channel: engine })).find(
      ({ paused }) => paused,
    );
    expect(diary?.paused?.reason).toContain('may not see the repository');
    await house.deliver();
    expect(house.shown(engine).join('\n')).toContain('Updates on ada/diary are paused. Its owner may not see');
  });
});

describe('an owner without a linked account', () => {
  const house = useFeed();
  const subs = () => house.store.subscriptions.inChannel({ team: house.slack.teamId, channel: engine });

  it('keeps a subscription for a day; then it pauses and the channel is told once', async () => {
    await house.subscribe(engine, 'acme/web*');
    house.pass(25 * 3_600_000);
    await house.jobs.steps.rights();
    expect((await subs())[0]?.paused).toBeUndefined();
    house.pass(24 * 3_600_000);
    await house.jobs.steps.rights();
    await house.jobs.steps.rights();
    expect((await subs())[0]?.paused?.reason).toContain('no working forge account');
    await house.deliver();
    expect(house.shown(engine).filter((text) => text.includes('Updates on acme/web* are paused'))).toHaveLength(1);
  });
});
