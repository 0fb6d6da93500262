import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';

describe('posted in order of cause', () => {
  const services = useFeed();
  const pollOnly = async (kind: string) => {
    for (const { source } of await services.store.sources.list())
      if (source.startsWith(kind)) await services.store.sources.wake(source);
    for (const due of await services.store.sources.claimDue(1_000, 60_000))
      if (due.source.startsWith(kind)) await services.jobs.steps.poll(due);
  };

  const pushAndFail = async () => {
    await services.subscribe(engine, repo, 'commits runs:all');
    await services.round();
    services.pass(20_000);
    services.forge.world.push({ as: 'grace', repo, branch: 'main', commits: ['Tighten the bolt'] });
    const run = services.forge.world.startRun({ as: 'grace', repo, branch: 'main' });
    services.pass(2_000);
    services.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
  };

  it('a push comes before the run it started, whichever is seen first', async () => {
    await pushAndFail();
    await pollOnly('runs');
    await services.deliver();
    await services.round();
    const posted = services.shown(engine);
    expect(posted).toHaveLength(2);
    expect(posted[0]).toContain('pushed');
    expect(posted[1]).toContain('failed');
  });

  it('a push comes before the pull request it was made for', async () => {
    await services.subscribe(engine, repo, 'commits pulls branch:*');
    await services.round();
    services.pass(20_000);
    services.forge.world.push({ as: 'grace', repo, branch: 'belt', commits: ['Replace the belt'] });
    services.forge.world.openPull({ as: 'grace', repo, title: 'Replace the belt', head: 'belt' });
    for (let times = 0; times < 3; times++) {
      await services.round();
      services.pass(2_000);
    }
    expect(services.shown(engine)).toEqual([expect.stringContaining('pushed'), expect.stringContaining('opened')]);
  });

  it('a new pull request comes before the reviews requested with it; later requests wait for nothing', async () => {
    const { world, requests } = services.forge;
    const feeds = () => requests.of('GET /repos/{owner}/{repo}/activities/feeds').length;
    await services.subscribe(engine, repo, 'pulls reviews:requested');
    await services.subscribe(engine, 'acme/website', 'issues');
    await services.round();
    services.pass(20_000);
    world.push({ as: 'grace', repo, branch: 'belt', commits: ['Replace the belt'] });
    const { index } = world.openPull({ as: 'grace', repo, title: 'Replace the belt', head: 'belt' });
    world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
    services.pass(2_000);
    await pollOnly('items');
    await services.deliver();
    expect(services.shown(engine)).toEqual([expect.stringContaining('opened')]);
    services.pass(60_000);
    await services.round();
    world.requestReview({ as: 'grace', repo, index, from: ['margaret'] });
    // nobody follows reviews there
    const website = 'acme/website';
    world.push({ as: 'ada', repo: website, branch: 'belt', commits: ['Show the belt'] });
    const other = world.openPull({ as: 'ada', repo: website, title: 'Show the belt', head: 'belt' });
    world.requestReview({ as: 'ada', repo: website, index: other.index, from: ['grace'] });
    services.pass(2_000);
    requests.clear();
    await pollOnly('items');
    expect(feeds()).toBe(0);
    expect(requests.of('GET /repos/{owner}/{repo}/issues/{index}/timeline')).toHaveLength(1);
  });

  it('a run waits for a push that another worker is reading', async () => {
    await pushAndFail();
    const key = `repo-${services.forge.world.repo(repo).id}`;
    const { marks } = services.store;
    const held = await marks.lease(key).acquire(60_000);
    const { open } = marks;
    let refusals = 0;
    marks.open = async (...args) => {
      const opened = await open(...args);
      if (args[0] === key && !opened && held) {
        refusals += 1;
        await marks.lease(key).release(held);
      }
      return opened;
    };
    await pollOnly('runs');
    expect(refusals).toBe(1);
    await services.deliver();
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('pushed'), expect.stringContaining('failed')]);
  });

  it('a run waits for three reads of a branch that is pushed to all the time, and no longer', async () => {
    await pushAndFail();
    const { world, faults } = services.forge;
    const hold = async () => {
      services.pass(1_000);
      world.push({ as: 'grace', repo, branch: 'main', commits: ['Tighten it again'] });
    };
    faults.add({ on: /engine\/activities/, times: 100, trouble: { hold } });
    const { marks } = services.store;
    const { open } = marks;
    const reads: string[] = [];
    marks.open = (...args) => {
      reads.push(args[0]);
      return open(...args);
    };
    await pollOnly('runs');
    marks.open = open;
    expect(reads.filter((source) => source.startsWith('repo-'))).toHaveLength(3);
    faults.clear();
    await services.deliver();
    expect(services.shown(engine).at(-1)).toContain('failed');
  });

  it('a new repository under a pattern is posted from its creation on', async () => {
    await services.subscribe(engine, 'acme/*', 'repos issues');
    await services.round();
    services.pass(20_000);
    services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'born' });
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/born', title: 'First words' });
    await services.round();
    await services.round();
    expect(services.shown(engine)).toEqual([
      expect.stringContaining('created acme/born'),
      expect.stringContaining('First words'),
    ]);
  });

  it('a new repository is posted as created even if its own feed was learned first', async () => {
    await services.subscribe(engine, 'acme/*', 'repos');
    await services.round();
    services.pass(20_000);
    services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'born' });
    await services.jobs.steps.reconcile();
    await pollOnly('repo');
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('created acme/born')]);
  });
});

describe('what a poll finds out by the way', () => {
  const services = useFeed();
  const pollOnly = async (kind: string) => {
    for (const { source } of await services.store.sources.list())
      if (source.startsWith(kind)) await services.store.sources.wake(source);
    for (const due of await services.store.sources.claimDue(1_000, 60_000))
      if (due.source.startsWith(kind)) await services.jobs.steps.poll(due);
  };
  const events = () => services.counts.get('events') ?? 0;
  const reads = () => services.forge.requests.of('GET /repos/{owner}/{repo}').length;
  const keys = async () => (await services.store.sources.list()).map(({ source }) => source);

  it('a new repository is polled as soon as its owner’s feed shows it', async () => {
    await services.subscribe(engine, 'acme/*', 'repos issues');
    await services.round();
    services.pass(20_000);
    const before = events();
    services.forge.world.openIssue({ as: 'ada', repo, title: 'Leak' });
    services.pass(2_000);
    services.forge.requests.clear();
    await pollOnly('owner');
    // its own feed says so
    expect(events()).toBe(before);
    const owner = (await services.store.sources.list()).find(({ source }) => source.startsWith('owner-'));
    expect(owner?.state.about).not.toHaveProperty('changedAt');
    expect(await services.store.sources.get(`repo-${services.forge.world.repo(repo).id}`)).toMatchObject({
      told: true,
    });
    services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'born' });
    services.forge.world.openIssue({ as: 'ada', repo, title: 'Drip' });
    services.pass(2_000);
    await pollOnly('owner');
    expect(events()).toBe(before + 1);
    await services.jobs.steps.reconcile();
    expect(await keys()).toContain(`repo-${services.forge.world.repo('acme/born').id}`);
  });

  it('a renamed repository has its new name with its first row', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    const { id } = services.forge.world.repo(repo);
    const name = async () => (await services.store.sources.get(`repo-${id}`))?.about;
    services.pass(20_000);
    services.forge.world.openIssue({ as: 'ada', repo, title: 'Leak' });
    services.forge.requests.clear();
    services.pass(2_000);
    await pollOnly('repo');
    await services.jobs.steps.reconcile();
    expect(reads()).toBe(0);
    services.forge.world.renameRepo({ as: 'ada', repo, name: 'motor' });
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/motor', title: 'Drip' });
    services.pass(2_000);
    await pollOnly('repo');
    await services.jobs.steps.reconcile();
    expect(reads()).toBeGreaterThan(0);
    expect(await name()).toMatchObject({ owner: 'acme', name: 'motor' });
  });

  it.each([
    [404, true],
    [502, false],
  ])('a repository is looked up again if its feed answers %i: %s', async (status, isDoubted) => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    services.pass(20_000);
    services.forge.requests.clear();
    services.forge.faults.add({ on: 'GET /repos/{owner}/{repo}/activities/feeds', trouble: { status } });
    await pollOnly('repo');
    await services.jobs.steps.reconcile();
    expect(reads() > 0).toBe(isDoubted);
    expect((await services.store.sources.get(`repo-${services.forge.world.repo(repo).id}`))?.about).toMatchObject({
      owner: 'acme',
      name: 'engine',
    });
  });
});
