import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  commands:
    issue block: { count: 1, approve: admin }
`;

let bellows: Bellows;
const { type } = talkTo(() => bellows);
beforeAll(async () => {
  bellows = await startBellows({ policy });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

it('checks every repository a card would name, not just the first', async () => {
  const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
  const line = `issue block acme/engine#1 acme/vault#${index}`;
  expect((await type('ada', line)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('vault');
  expect((await type('ada', line, 'private')).text).toContain('Waiting for approval by');
});

it('treats as hidden what the service account cannot see', async () => {
  const { world } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'ada', name: 'diary', private: true });
  const { index } = world.openIssue({ as: 'ada', repo: 'ada/diary', title: 'Dear diary' });
  const line = `issue block ada/diary#${index} acme/engine#1`;
  expect((await type('ada', line)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('diary');
});
