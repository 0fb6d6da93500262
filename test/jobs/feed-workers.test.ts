import { describe, expect, it } from 'vitest';
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
    const wanted = Array.from({ length: 30 }, (_, at) => `News ${at}`);
    for (const title of wanted) {
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });
      await services.jobs.wakeRepository(id);
    }
    await services.slack.until(() => titles(engine).length >= 30 && titles(general).length >= 30);
    expect(titles(engine)).toEqual(wanted);
    expect(titles(general)).toEqual(wanted);
  });

  it('find what a lost job would have delivered', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.poll();
    services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'News' });
    await services.poll();
    await services.jobs.queues.deliver.drain();
    await services.another().start();
    await services.slack.until(() => titles(engine).length > 0);
    expect(titles(engine)).toEqual(['News']);
  });
});
