import { expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';
const services = useFeed({ people: { ada: 'U0ADA00001' } });

it('a card that is completed later shows nothing that has become hidden since', async () => {
  await services.subscribe(engine, repo, 'issues');
  await services.round();
  services.pass(1_000);
  const { world, faults } = services.forge;
  const { index } = world.openIssue({ as: 'grace', repo, title: 'Open', labels: ['bug'] });
  faults.add({ on: new RegExp(`GET .*issues/${index}$`), trouble: { status: 502 }, times: 1_000 });
  await services.round();
  expect(services.shown(engine)).toEqual([expect.stringContaining('Open')]);
  world.setPrivate({ repo, private: true });
  faults.clear();
  services.pass(61_000);
  await services.jobs.steps.complete();
  await services.deliver();
  expect(JSON.stringify(services.slack.state.messages(engine))).not.toContain('bug');
});
