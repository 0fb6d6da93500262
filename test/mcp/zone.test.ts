import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { addAgent, clientOver, overHttp } from './agent.js';

const hour = 3_600;
const users = [
  { id: 'U0ADA00001', name: 'ada', tzOffset: -12 * hour },
  { id: 'U0GRACE001', name: 'grace', tzOffset: 14 * hour },
];
const channels = [
  { id: 'C0GENERAL1', name: 'general' },
  { id: 'C0ENGINE01', name: 'engine' },
];
let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ agents: true, slack: { seed: { users, channels } } });
  for (const { name } of users) await bellows.link(name);
});
afterAll(() => bellows.close());

// The two zones are 26 hours apart: at least one of them has another day than UTC, whenever this runs.
it.each(users)('today depends on where $name is, also for an agent', async ({ name, tzOffset }) => {
  const here = () => new Date(Date.now() + tzOffset * 1000).toISOString().slice(0, 10);
  const agent = await clientOver(overHttp(bellows.address, await addAgent(bellows, name, 'Clock --may "issue due"')));
  const before = here();
  expect(await agent.call('issue_due', { issue: 'acme/engine#2', due: 'today' })).toMatchObject({ status: 'done' });
  const sent = bellows.forge.requests.of('PATCH /repos/{owner}/{repo}/issues/{index}').at(-1);
  expect([before, here()]).toContain(JSON.stringify(sent?.body).match(/\d{4}-\d\d-\d\d/)?.[0]);
  await agent.close();
});
