import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';

describe('told in the order of cause', () => {
  const house = useFeed();
  const pollOnly = async (kind: string) => {
    for (const { source } of await house.store.sources.list())
      if (source.startsWith(kind)) await house.store.sources.wake(source);
    for (const due of await house.store.sources.claimDue(1_000, 60_000))
      if (due.source.startsWith(kind)) await house.jobs.steps.poll(due);
  };

  it('a push comes before the run it started, whichever is seen first', async () => {
    await house.subscribe(engine, repo, 'commits runs:all');
    await house.round();
    house.pass(20_000);
    house.forge.world.push({ as: 'grace', repo, branch: 'main', commits: ['Tighten the bolt'] });
    const run = house.forge.world.startRun({ as: 'grace', repo, branch: 'main' });
    house.pass(2_000);
    house.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    await pollOnly('runs');
    await house.deliver();
    await house.round();
    const told = house.shown(engine);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('pushed');
    expect(told[1]).toContain('failed');
  });

  it('a new repository under a pattern is told from its creation on', async () => {
    await house.subscribe(engine, 'acme/*', 'repos issues');
    await house.round();
    house.pass(20_000);
    house.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'born' });
    house.forge.world.openIssue({ as: 'ada', repo: 'acme/born', title: 'First words' });
    await house.round();
    await house.round();
    expect(house.shown(engine)).toEqual([
      expect.stringContaining('created acme/born'),
      expect.stringContaining('First words'),
    ]);
  });

  it('a new repository is told as created where its own feed was learned first', async () => {
    await house.subscribe(engine, 'acme/*', 'repos');
    await house.round();
    house.pass(20_000);
    house.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'born' });
    await house.jobs.steps.reconcile();
    await pollOnly('repo');
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('created acme/born')]);
  });
});
