import { describe, expect, it } from 'vitest';
import { createLatch } from '../support/latch.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';

describe('two workers', () => {
  const services = useFeed({
    tempo: { tickMs: 50, sweepMs: 100, reconcileMs: 60_000, leaseMs: 5_000, confirmMs: 1 },
    policy: 'feed: { digestAbove: 200 }',
  });
  const titles = (channel: string) => services.shown(channel).map((text) => text.replace(/^.*#\d+ /, ''));

  it('share the work: every event once, in order, in every channel', async () => {
    for (const channel of [engine, general]) await services.subscribe(channel, 'acme/engine', 'issues');
    await services.poll();
    const { id } = await services.service.repos.get({ owner: 'acme', repo: 'engine' });
    await Promise.all([services.jobs.start(), services.another().start()]);
    const wanted = Array.from({ length: 15 }, (_, at) => `News ${at}`);
    for (const title of wanted) {
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });
      await services.jobs.wakeRepository(id);
    }
    await services.slack.until(() => titles(engine).length >= wanted.length && titles(general).length >= wanted.length);
    expect(titles(engine)).toEqual(wanted);
    expect(titles(general)).toEqual(wanted);
  });

  it('find what a worker that ended would have delivered', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'News' });
    await services.poll();
    await services.another().start();
    await services.slack.until(() => titles(engine).length > 0);
    expect(titles(engine)).toEqual(['News']);
  });
});

describe('a webhook that arrives while its repository is read', () => {
  // the test's clock stands still: what is not read at once is never read
  const services = useFeed({ tempo: { tickMs: 50, sweepMs: 100, reconcileMs: 60_000, soonMs: 60_000 } });
  const titles = () => services.shown(engine).map((text) => text.replace(/^.*#\d+ /, ''));
  const open = (title: string) => services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });

  it('is followed by another read as soon as that one ends', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    const { id } = await services.service.repos.get({ owner: 'acme', repo: 'engine' });
    const other = services.another();
    await Promise.all([services.jobs.start(), other.start()]);
    const [read, answered] = [createLatch(), createLatch()];
    const hold = () => {
      read.open();
      return answered.opened;
    };
    services.forge.faults.add({ on: /engine\/activities/, trouble: { hold } });
    services.forge.requests.clear();
    open('One');
    await services.jobs.wakeRepository(id);
    await read.opened;
    open('Two');
    await other.wakeRepository(id);
    // another worker has nothing to try meanwhile
    await other.steps.tick();
    answered.open();
    await services.slack.until(() => titles().length >= 2);
    expect(titles()).toEqual(['One', 'Two']);
    expect(services.forge.requests.all.filter(({ path }) => path.includes('activities'))).toHaveLength(2);
  });
});
