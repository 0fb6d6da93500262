import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';

describe('two workers', () => {
  const house = useFeed({
    tempo: { tickMs: 50, sweepMs: 100, reconcileMs: 60_000, leaseMs: 5_000, settleMs: 1 },
    policy: 'feed: { digestAbove: 200 }',
  });
  const titles = (channel: string) => house.shown(channel).map((text) => text.replace(/^.*#\d+ /, ''));

  it('share the work: every event once, in order, in every channel', { timeout: 30_000 }, async () => {
    for (const channel of [engine, general]) await house.subscribe(channel, 'acme/engine', 'issues');
    await house.poll();
    const { id } = await house.service.repos.get({ owner: 'acme', repo: 'engine' });
    await Promise.all([house.jobs.start(), house.another().start()]);
    const wanted = Array.from({ length: 30 }, (_, at) => `News ${at}`);
    for (const title of wanted) {
      house.pass(1_000);
      house.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });
      await house.jobs.wakeRepository(id);
    }
    await house.slack.until(() => titles(engine).length >= 30 && titles(general).length >= 30, 20_000);
    expect(titles(engine)).toEqual(wanted);
    expect(titles(general)).toEqual(wanted);
  });

  it('find what a lost job would have delivered', { timeout: 30_000 }, async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.poll();
    house.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'News' });
    await house.poll();
    await house.jobs.queues.deliver.drain();
    await house.another().start();
    await house.slack.until(() => titles(engine).length > 0, 20_000);
    expect(titles(engine)).toEqual(['News']);
  });
});
