import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  commands:
    issue close: { count: 1 }
`;
let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { ask, cardSays } = decideIn(() => bellows);

beforeAll(async () => {
  // with another person who may decide
  bellows = await startBellows({ policy });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());

it.each(['limited', 'private'] as const)('requests nothing in public for a %s owner’s repo', async (visibility) => {
  const { world } = bellows.forge;
  const org = world.createOrg({ as: 'ada', login: `${visibility}-works`, visibility });
  world.createRepo({ as: 'ada', owner: org.login, name: 'plans' });
  world.createTeam({ org: org.login, name: 'service', permission: 'read', allRepos: true, members: ['bellows-bot'] });
  const run = world.startRun({ as: 'ada', repo: `${org.login}/plans`, title: 'Hidden work' });
  world.stickRun({ run: run.id });
  const line = `run force-cancel ${org.login}/plans#${run.id}`;
  expect((await type('ada', line)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('Hidden work');
  expect((await type('ada', line, 'private')).text).toContain('Waiting for approval by');
});

it('requests nothing in public for a repository that the service account cannot see', async () => {
  const { world } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'ada', name: 'cellar', private: true });
  const run = world.startRun({ as: 'ada', repo: 'ada/cellar', title: 'Unseen work' });
  world.stickRun({ run: run.id });
  expect((await type('ada', `run force-cancel ada/cellar#${run.id}`)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('Unseen work');
});

it('runs nothing whose card may no longer be shown where it is', async () => {
  const { world, requests } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'acme', name: 'sketch' });
  const issue = world.openIssue({ as: 'ada', repo: 'acme/sketch', title: 'Draw it' });
  const card = await ask(`issue close acme/sketch#${issue.index}`);
  world.setPrivate({ repo: 'acme/sketch', private: true });
  world.edit({ as: 'ada', repo: 'acme/sketch', index: issue.index, title: 'Secret drawing' });
  await bellows.slack.as('grace').click(card, 'Approve');
  const after = await cardSays(card, '✅ Approved by|Not run');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('Secret drawing');
  expect(words(after)).toContain('everyone can read this channel');
  expect(requests.of('PATCH /repos/{owner}/{repo}/issues/{index}')).toEqual([]);
});

it('says that Bellows’ own account is refused, and does not call the repository hidden', async () => {
  const { world, faults } = bellows.forge;
  const run = world.startRun({ as: 'ada', repo: 'acme/engine', title: 'Open work' });
  world.stickRun({ run: run.id });
  const line = `run force-cancel acme/engine#${run.id}`;
  // ada reads the run, the bot the repository
  const on = /^GET .*\/repos\/(search|acme\/engine)$/;
  const heal = faults.add({ on, times: Number.POSITIVE_INFINITY, trouble: { status: 403 } });
  expect((await type('ada', line)).text).toContain('a token that Bellows needs for this, and it is not yours');
  heal();
  expect((await type('ada', line)).text).toContain('Waiting for approval by');
});
