import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';

describe.each(['forgejo-15', 'forgejo-16'] as const)('runs of %s', (flavor) => {
  const services = useFeed({ flavor });
  const go = async (conclusion: 'success' | 'failure' | 'cancelled' | 'skipped', branch: string) => {
    services.pass(60_000);
    const run = services.forge.world.startRun({ as: 'ada', repo, workflow: 'ci.yml', branch, title: 'Tighten' });
    services.pass(5_000);
    services.forge.world.finishRun({ run: run.id, conclusion });
    await services.round();
    return run;
  };

  it('are posted as they end, each with its outcome and its page', async () => {
    await services.subscribe(engine, repo, 'runs:all');
    await services.round();
    const failed = await go('failure', 'fresh');
    await go('cancelled', 'fresh');
    await go('skipped', 'fresh');
    const posted = services.shown(engine);
    expect(posted).toHaveLength(3);
    expect(posted[0]).toMatch(/failed/);
    expect(posted[1]).toMatch(/cancell?ed/);
    expect(posted[2]).toMatch(/skipped/);
    const card = services.slack.state.messages(engine)[0];
    expect(JSON.stringify(card?.blocks)).toContain(`/${repo}/actions/runs/${failed.number}`);
  });

  it('are posted by their changes from green to red and back', async () => {
    await services.subscribe(engine, repo, 'runs');
    await services.round();
    await go('failure', 'fresh');
    await go('failure', 'fresh');
    const posted = services.shown(engine);
    expect(posted).toHaveLength(1);
    expect(posted[0]).toContain('failed');
    await go('success', 'fresh');
    const [red] = services.slack.state.messages(engine);
    expect(services.replies(engine, red?.ts)).toHaveLength(1);
    expect(services.shown(engine)).toHaveLength(1);
  });
});
