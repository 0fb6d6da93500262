import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCatalogue } from '../../src/chat/catalogue.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commands } from '../../src/commands/index.js';
import { type OperationName, describe as operation, operationNames } from '../../src/forge/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI';
const [deploy, own] = [
  `${key}J2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a`,
  `${key}L2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a`,
];

/** What a person types, for each operation of the document. */
const lines = {
  'admin.listJobs': 'admin jobs --status queued',
  'admin.listRunners': 'runner list',
  'admin.createRegistrationToken': 'runner token',
  'admin.getRunner': 'runner show 1',
  'admin.editRunner': 'runner disable 1',
  'admin.deleteRunner': 'runner remove 3',
  'admin.listRuns': 'admin runs --status failure',
  'admin.listCron': 'cron list',
  'admin.runCron': 'cron run git_gc_repos',
  'admin.listEmails': 'admin emails',
  'admin.searchEmails': 'admin emails grace',
  'admin.listHooks': 'hook list',
  'admin.createHook': 'hook create https://ci.example.org/hook --events push',
  'repos.createInOrg': 'repo create acme/loom --private',
  'repos.migrate': 'repo migrate https://example.org/ada/old.git acme/old',
  'repos.search': 'repo search engine',
  'repos.listWatched': 'repo watched',
  'repos.listCommits': 'repo commits acme/engine',
  'keys.listDeploy': 'key list acme/engine',
  'keys.addDeploy': `key add acme/engine "build server" ${deploy} build`,
  'keys.addMine': `key add-mine laptop ${own} ada`,
  'issues.edit': 'issue edit acme/engine#2 --title "Print on paper"',
  'issues.block': 'issue block acme/engine#2 acme/engine#7',
  'issues.unblock': 'issue unblock acme/engine#2 acme/engine#7',
  'issues.addTime': 'issue log-time acme/engine#2 30m',
  'issues.comment': 'issue comment acme/engine#2 Seen',
  'issues.search': 'issue search paper',
  'pulls.edit': 'pr edit acme/engine#8 --title "Drop it first"',
  'pulls.requestReviewers': 'pr review acme/engine#5 margaret',
  'runs.list': 'run list acme/engine',
  'runs.forceCancel': 'run force-cancel acme/engine#7',
  'projects.createInRepo': 'project create acme/engine Bugs --template bug_triage',
  'projects.editInRepo': 'project edit acme/engine#1 --title "Road to 1.1"',
  'projects.addColumn': 'project column-add acme/engine#1 In review --color #1d76db',
  'projects.editMine': 'project mine edit 3 --title "This week"',
  'projects.listMyColumns': 'project mine columns 3',
  'projects.editMyColumn': 'project mine column-edit 3 9 --position -1',
  'notifications.markThread': 'inbox mark acme/engine#2 read',
  'notifications.markAll': 'inbox clear',
  'activity.userFeed': 'feed user grace',
  'activity.repoFeed': 'feed repo acme/engine',
  'packages.get': 'package show acme/generic/engine/0.9',
} satisfies Partial<Record<OperationName, string>>;

const catalogue = createCatalogue(commands);
const documented = operationNames.filter((name) => operation(name).beyond !== true);

let bellows: Bellows;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  const policy = 'roles:\n  admin:\n    users: [U0ADA00001]\napprovals:\n  risky:\n    count: 0\n';
  bellows = await startBellows({ mode: 'http', policy });
  await bellows.link('ada');
  const { world } = bellows.forge;
  world.createProject({ as: 'ada', title: 'My week', template: 'basic_kanban' });
  world.comment({ as: 'grace', repo: 'acme/engine', index: 2, body: 'On which paper?' });
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());

it('has a line for each of the 42', () => {
  expect(Object.keys(lines).sort()).toEqual([...documented].sort());
  expect(documented).toHaveLength(42);
});

it.each(Object.entries(lines))('%s is reached by a signed “/forge %s”', async (name, line) => {
  const answer = await type('ada', line);
  const { route } = operation(documented.find((each) => each === name) ?? 'issues.edit');
  const arrived = bellows.forge.requests.of(route);
  expect(arrived.length, answer.text).toBeGreaterThan(0);
  expect(arrived.at(-1)).toMatchObject({ who: 'ada', status: expect.toSatisfy((status: number) => status < 300) });
  expect(answer.text).not.toMatch(/^⚠️/);
  const parsed = parseCommand(line, catalogue, { now: new Date(), webUrl: bellows.forge.url });
  expect(parsed.kind === 'command' && parsed.command.operations).toContain(name);
  expect(bellows.slack.failures.all).toEqual([]);
});
