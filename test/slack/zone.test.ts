import { afterAll, beforeAll, expect, it } from 'vitest';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const hour = 3_600;
const users = [
  { id: 'U0ADA00001', name: 'ada', tzOffset: -12 * hour },
  { id: 'U0GRACE001', name: 'grace', tzOffset: 14 * hour },
];
let bellows: Bellows;
const { type } = talkTo(() => bellows);
beforeAll(async () => {
  bellows = await startBellows({
    slack: {
      seed: {
        users,
        channels: [
          { id: 'C0GENERAL1', name: 'general' },
          { id: 'C0ENGINE01', name: 'engine' },
        ],
      },
    },
  });
  await Promise.all(users.map(({ name }) => bellows.link(name)));
});
afterAll(() => bellows.close());

// The two zones are 26 hours apart: at least one of them has another day than UTC, whenever this runs.
it.each(users)('today depends on where $name is', async ({ name, tzOffset }) => {
  const here = () => new Date(Date.now() + tzOffset * 1000).toISOString().slice(0, 10);
  const before = here();
  await type(name, 'issue due acme/engine#2 today');
  const sent = bellows.forge.requests.of('PATCH /repos/{owner}/{repo}/issues/{index}').at(-1);
  expect([before, here()]).toContain(JSON.stringify(sent?.body).match(/\d{4}-\d\d-\d\d/)?.[0]);
});
