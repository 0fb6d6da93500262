import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addAgent, clientOver, overHttp } from '../mcp/agent.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { onServers } from '../support/servers.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  commands:
    issue close: { count: 1 }
    issue comment: { count: 1 }
    issue block: { count: 1 }
    pr merge: { count: 1 }
deployments:
  studio: { repository: acme/drafts, workflow: deploy.yml, refs: [main], approve: admin, channel: C0ENGINE01 }
`;
let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { ask, cardSays, messaged } = decideIn(() => bellows);

beforeAll(async () => {
  // with another person who may decide
  bellows = await startBellows({ policy, tempo: { followMs: 100 } });
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
  world.freezeRun({ run: run.id });
  const line = `run force-cancel ${org.login}/plans#${run.id}`;
  expect((await type('ada', line)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('Hidden work');
  expect((await type('ada', line, 'private')).text).toContain('Waiting for approval by');
});

it('requests nothing in public for a repository that the service account cannot see', async () => {
  const { world } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'ada', name: 'cellar', private: true });
  const run = world.startRun({ as: 'ada', repo: 'ada/cellar', title: 'Unseen work' });
  world.freezeRun({ run: run.id });
  expect((await type('ada', `run force-cancel ada/cellar#${run.id}`)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toContain('Unseen work');
});

it('checks every repository a card would name, not just the first', async () => {
  const { world } = bellows.forge;
  const hidden = world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
  const line = `issue block acme/engine#1 acme/vault#${hidden.index}`;
  expect((await type('ada', line)).text).toContain('everyone can read this channel');
  world.createRepo({ as: 'ada', owner: 'ada', name: 'album', private: true });
  const unseen = world.openIssue({ as: 'ada', repo: 'ada/album', title: 'Dear album' });
  const other = `issue block ada/album#${unseen.index} acme/engine#1`;
  expect((await type('ada', other)).text).toContain('everyone can read this channel');
  expect(JSON.stringify(bellows.slack.state.messages('engine'))).not.toMatch(/vault|album/);
  expect((await type('ada', line, 'private')).text).toContain('Waiting for approval by');
});

it.each([
  (name: string) => `issue close ${name}#1`,
  (name: string) => `issue comment ${name}#1 Hello`,
  (name: string) => `pr merge ${name}#1 --style merge`,
  (name: string) => `run force-cancel ${name}#1`,
])('does not tell someone without access that a repository exists: %s', async (line) => {
  const { name } = bellows.forge.world.createRepo({
    as: 'ada',
    owner: 'ada',
    name: `diary-${bellows.forge.world.state.repos.size}`,
    private: true,
  });
  const hidden = (await type('grace', line(`ada/${name}`))).text;
  expect(hidden).toContain(`I can’t find ada/${name}, or you don’t have access to it.`);
  expect((await type('grace', line('ada/nosuch'))).text).toBe(hidden.replace(name, 'nosuch'));
});

it('names what is gone by the time it was approved', async () => {
  const { world, faults, requests } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'acme', name: 'fleeting' });
  const { index } = world.openIssue({ as: 'ada', repo: 'acme/fleeting', title: 'Soon gone' });
  const card = await ask(`issue close acme/fleeting#${index}`);
  const patch = 'PATCH /repos/{owner}/{repo}/issues/{index}';
  faults.add({ on: patch, trouble: { status: 404, message: 'Not Found' } });
  // only the issue: nothing is shown in public about a repository that nobody can see
  const isSent = () => requests.of(patch).some(({ path }) => path.includes('/fleeting/'));
  const bend = (body: unknown) => {
    if (isSent()) faults.add({ on: 'GET /repos/{owner}/{repo}/issues/{index}', trouble: { status: 404 } });
    return body;
  };
  faults.add({ on: 'GET /repos/{owner}/{repo}', times: 50, trouble: { bend } });
  await bellows.slack.as('grace').click(card, 'Approve');
  expect(words(await cardSays(card, 'I can’t find'))).toContain(`issue #${index} in acme/fleeting`);
  faults.clear();
  requests.clear();
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

describe('a repository that becomes private', () => {
  const publicRepo = 'acme/drafts';
  const patch = 'PATCH /repos/{owner}/{repo}/issues/{index}';
  const post = 'POST /repos/{owner}/{repo}/issues/{index}/comments';
  const repository = /^GET .*\/repos\/acme\/drafts$/;
  const inPublic = () => JSON.stringify(bellows.slack.state.messages('engine'));
  const open = (title: string) => bellows.forge.world.openIssue({ as: 'ada', repo: publicRepo, title }).index;

  beforeAll(() => bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'drafts' }));
  beforeEach(() => bellows.forge.world.setPrivate({ repo: publicRepo, private: false }));

  /** As soon as the write has arrived. */
  function hideDuring(on: typeof patch | typeof post, index: number, title: string): void {
    const { world, faults } = bellows.forge;
    const bend = (body: unknown) => {
      world.setPrivate({ repo: publicRepo, private: true });
      world.edit({ as: 'ada', repo: publicRepo, index, title });
      return typeof body === 'object' && on === patch ? { ...body, title } : body;
    };
    faults.add({ on, trouble: { bend } });
  }

  it('while the command runs: only the requester reads how it went', async () => {
    const index = open('A line');
    const card = await ask(`issue close ${publicRepo}#${index}`);
    hideDuring(patch, index, 'Secret curve');
    await bellows.slack.as('grace').click(card, 'Approve');
    expect(words(await cardSays(card, '✅ Approved by'))).toContain('The details went to the requester.');
    await messaged('ada', 'Secret curve');
    expect(inPublic()).not.toContain('Secret curve');
  });

  it('before a lost answer was found again: only the requester reads it', async () => {
    const index = open('A dot');
    const card = await ask(`issue comment ${publicRepo}#${index} Seen.`);
    hideDuring(post, index, 'Secret point');
    bellows.forge.faults.add({ on: post, trouble: { drop: 'after' } });
    await bellows.slack.as('grace').click(card, 'Approve');
    expect(words(await cardSays(card, '✅ Approved by'))).toContain('The details went to the requester.');
    await messaged('ada', 'Secret point');
    expect(inPublic()).not.toContain('Secret point');
    expect(bellows.forge.requests.of(post)).toHaveLength(1);
  });

  /** Requested, approved and running. */
  async function deploying() {
    const card = await ask('deploy studio');
    await bellows.slack.as('grace').click(card, 'Approve');
    const thread = () =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .filter(({ threadTs }) => threadTs === card.ts);
    await bellows.slack.until(() => thread().find(({ text }) => text.includes('Deploying')));
    return { card, thread };
  }
  const fail = () => {
    const { world } = bellows.forge;
    world.finishRun({ run: [...world.state.runs.values()].at(-1)?.id ?? 0, conclusion: 'failure' });
  };

  it('while a deployment runs: its card and thread stop telling, and the requester reads how it ended', async () => {
    const { world } = bellows.forge;
    world.createTeam({ org: 'acme', name: 'watchers', permission: 'read', allRepos: true, members: ['bellows-bot'] });
    world.push({ as: 'ada', repo: publicRepo, branch: 'main', commits: [{ message: 'Draw', files: ['a.svg'] }] });
    const text = 'on: workflow_dispatch\njobs:\n  deploy:\n    runs-on: ubuntu-latest\n';
    world.plantWorkflow({ repo: publicRepo, file: 'deploy.yml', text });
    const { card, thread } = await deploying();
    const before = thread().length;
    world.setPrivate({ repo: publicRepo, private: true });
    fail();
    const after = words(await cardSays(card, 'The details went to the requester'));
    for (const part of ['Deploying', 'Deployment failed', 'Rerun failed jobs']) expect(after).not.toContain(part);
    await messaged('ada', 'Deployment failed');
    world.setPrivate({ repo: publicRepo, private: false });
    // what was queued for the thread would be there before this card
    await ask(`issue close ${publicRepo}#${open('A square')}`);
    expect(thread()).toHaveLength(before);
  });

  it('or cannot be checked while a deployment runs: its card stays as it is until then', async () => {
    const { card } = await deploying();
    const heal = bellows.forge.faults.add({
      on: repository,
      times: Number.POSITIVE_INFINITY,
      trouble: { status: 500 },
    });
    fail();
    for (let turns = 0; turns < 3; turns++) await bellows.forge.requests.next(repository);
    heal();
    await cardSays(card, 'Deployment failed');
    const drawn = JSON.stringify(bellows.slack.calls.all.filter(({ args }) => JSON.stringify(args).includes(card.ts)));
    expect(drawn).not.toContain('The details went');
  });

  it('or cannot be checked for now: the card ends without details and gets them later', async () => {
    const { faults } = bellows.forge;
    const index = open('A circle');
    const card = await ask(`issue close ${publicRepo}#${index}`);
    let heal = () => {};
    const bend = (body: unknown) => {
      heal = faults.add({ on: repository, times: Number.POSITIVE_INFINITY, trouble: { status: 500 } });
      return body;
    };
    faults.add({ on: patch, trouble: { bend } });
    await bellows.slack.as('grace').click(card, 'Approve');
    expect(words(await cardSays(card, '✅ Approved by'))).not.toContain('A circle');
    heal();
    await cardSays(card, 'A circle');
  });
});

it('says that Bellows’ own account is refused, and does not call the repository hidden', async () => {
  const { world, faults } = bellows.forge;
  const run = world.startRun({ as: 'ada', repo: 'acme/engine', title: 'Open work' });
  world.freezeRun({ run: run.id });
  const line = `run force-cancel acme/engine#${run.id}`;
  // ada reads the run, the bot the repository
  const on = /^GET .*\/repos\/(search|acme\/engine)$/;
  const heal = faults.add({ on, times: Number.POSITIVE_INFINITY, trouble: { status: 403 } });
  expect((await type('ada', line)).text).toContain('a token that Bellows needs for this, and it is not yours');
  heal();
  expect((await type('ada', line)).text).toContain('Waiting for approval by');
});

describe.each(onServers(['gitea-1.26', 'forgejo-15'], ['gitea-1.26']))('a private issue elsewhere, on %s', (flavor) => {
  let other: Bellows;
  let closing: string;
  let merging: string;
  const talk = talkTo(() => other);
  const deciding = decideIn(() => other);

  beforeAll(async () => {
    // blocks come first, and need nobody here
    const free = policy.replace('    issue block: { count: 1 }\n', '');
    other = await startBellows({ forge: { flavor }, policy: free, agents: true });
    await other.link('ada');
    await other.link('grace');
    const { world } = other.forge;
    const repo = 'acme/engine';
    world.createRepo({ as: 'ada', owner: 'acme', name: 'vault', private: true });
    const secret = world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Sell the company' }).index;
    const near = world.openIssue({ as: 'ada', repo, title: 'Oil the hinge' }).index;
    const waiting = world.openIssue({ as: 'ada', repo, title: 'Open the door' }).index;
    world.push({ as: 'grace', repo, branch: 'door', commits: [{ message: 'Door', files: ['door.go'] }] });
    const pull = world.openPull({ as: 'grace', repo, title: 'Add a door', head: 'door' }).index;
    closing = `${repo}#${waiting}`;
    merging = `${repo}#${pull}`;
    world.dependOn({ as: 'ada', repo, index: waiting, by: near });
    for (const line of [`acme/vault#${secret} ${closing}`, `acme/vault#${secret} ${merging}`])
      expect((await talk.type('ada', `issue block ${line}`)).text).toContain('now blocks');
  });
  afterAll(() => other.close());

  it.each([
    ['issue close', () => closing],
    ['pr merge', () => merging],
  ])('stays off the card of %s', async (command, item) => {
    const card = await deciding.ask(`${command} ${item()}`);
    await other.slack.as('grace').click(card, 'Approve');
    expect(words(await deciding.cardSays(card, 'while these are open'))).toMatch(
      /1 (more )?in a repository not shown here/,
    );
    const inPublic = JSON.stringify(
      other.slack.state.messages('engine').filter((shown) => !('onlyFor' in shown) || shown.onlyFor === undefined),
    );
    expect(inPublic).not.toMatch(/Sell the company|acme\/vault/);
  });

  it('is shown to the person who asks for themselves', async () => {
    expect(words(await talk.type('ada', `issue show ${closing}`))).toContain('Sell the company');
  });

  it('is not read by an agent limited to another repository', async () => {
    const agent = await clientOver(
      overHttp(other.address, await addAgent(other, 'ada', 'Narrow --may "issue *" --repos "acme/engine"')),
    );
    const shown = await agent.call('issue_show', { issue: closing });
    expect(shown.text).toContain('Oil the hinge');
    expect(shown.text).toContain('1 more in a repository not shown here');
    expect(JSON.stringify(shown)).not.toMatch(/Sell the company|acme\/vault/);
    await agent.close();
  });
});
