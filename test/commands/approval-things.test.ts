import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn, people } from './deciding.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001, U0ALAN0001]
approvals:
  commands:
${['issue close', 'pr merge', 'workflow run', 'remind reviews'].map((name) => `    ${name}: { count: 1, approve: admin }`).join('\n')}
`;
const mergeRoute = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { ask, cardSays, click } = decideIn(() => bellows);
const sent = (route: string) => bellows.forge.requests.of(route).filter(({ who }) => who === 'ada');

/** Approved by Grace; then what the card says. */
async function approve(line: string, meanwhile: () => unknown, says: string | RegExp) {
  const card = await ask(line);
  bellows.forge.requests.clear();
  await meanwhile();
  await bellows.slack.as('grace').click(card, 'Approve');
  return cardSays(card, says);
}

beforeAll(async () => {
  bellows = await startBellows({ policy, slack: { seed: { users: people } } });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());

describe('an approval binds things, not names', () => {
  /** A repository with a pull request. */
  function repository(name: string) {
    const { world } = bellows.forge;
    world.createRepo({ as: 'ada', owner: 'acme', name });
    const repo = `acme/${name}`;
    world.push({ as: 'grace', repo, branch: 'try', commits: [{ message: 'Try', files: ['try.go'] }] });
    const pull = world.openPull({ as: 'grace', repo, title: 'Try', head: 'try' });
    return { repo, pull: `${repo}#${pull.index}`, name };
  }

  it('what sends nothing itself is not done for a repository that took over the name', async () => {
    const { repo, name } = repository('taken');
    const takeOver = () => bellows.forge.world.takeOverName({ as: 'ada', repo, name: `${name}-old` });
    const line = `remind reviews daily 9:30 --repository ${repo}`;
    await approve(line, takeOver, `${repo} is now another repository`);
  });

  it('nobody is asked to approve a merge that is not ready, unless its requester says so', async () => {
    const { repo, pull } = repository('unready');
    const { world } = bellows.forge;
    const [commit] = world.push({ as: 'grace', repo, branch: 'try', commits: ['Broken'] });
    world.commitStatus({ as: 'grace', repo, sha: commit?.sha ?? '', context: 'ci/build', state: 'failure' });
    expect(words(await type('ada', `pr merge ${pull}`))).toContain('1 check failed: ci/build');
    expect(words(await ask(`pr merge ${pull} --yes`))).toContain('merge');
  });

  it('a merge is bound to the style that was shown', async () => {
    const { repo, pull } = repository('styled');
    const change = () => bellows.forge.world.setMerging({ repo, defaultStyle: 'squash' });
    await approve(`pr merge ${pull}`, change, 'merge style was merge, now squash');
    expect(sent(mergeRoute)).toEqual([]);
  });

  it('a workflow is bound to the commit behind its branch', async () => {
    const push = () =>
      bellows.forge.world.push({ as: 'grace', repo: 'acme/engine', branch: 'main', commits: ['Unseen'] });
    await approve('workflow run acme/engine ci.yml', push, /commit was [0-9a-f]{10}, now [0-9a-f]{10}/);
    expect(sent('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches')).toEqual([]);
  });

  it('a workflow does not start if its branch moves after the last look', async () => {
    const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
    const commits = 'GET /repos/{owner}/{repo}/commits';
    await approve('workflow run acme/engine ci.yml', () => {}, 'Started');
    const reads = bellows.forge.requests.of(commits).length;
    const push = async () =>
      bellows.forge.world.push({ as: 'grace', repo: 'acme/engine', branch: 'main', commits: ['Slipped in'] });
    const pushLate = () => bellows.forge.faults.add({ on: commits, after: reads - 2, trouble: { hold: push } });
    const card = await approve('workflow run acme/engine ci.yml', pushLate, 'commit was|Started');
    bellows.forge.faults.clear();
    expect(words(card)).toMatch(/commit was [0-9a-f]{10}, now [0-9a-f]{10}/);
    expect(sent(dispatches)).toEqual([]);
  });

  it('sends exactly what the details showed, even if it changes after the last look', async () => {
    const card = await approve(`pr merge ${repository('same').pull}`, () => {}, 'Merged');
    expect(sent(mergeRoute)).toHaveLength(1);
    expect(words(card)).toContain('Approved by');
    // read by each look after the pull request, and by the sending itself; never by the feed
    const branch = 'GET /repos/{owner}/{repo}/branches/{branch}';
    const reads = bellows.forge.requests.of(branch).length;
    const squash = async () => bellows.forge.world.setMerging({ repo: 'acme/late', defaultStyle: 'squash' });
    const change = () => bellows.forge.faults.add({ on: branch, after: reads - 2, trouble: { hold: squash } });
    await approve(`pr merge ${repository('late').pull}`, change, 'it changed while it was being sent');
    expect(sent(mergeRoute)).toEqual([]);
    bellows.forge.faults.clear();
  });
});

describe('an account that does not answer now has no vote', () => {
  const close = 'PATCH /repos/{owner}/{repo}/issues/{index}';
  const grace = () => {
    const user = bellows.forge.world.user('grace');
    if (!user) throw new Error('no grace');
    return user;
  };
  async function asked() {
    const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Rattles' });
    const card = await ask(`issue close acme/engine#${index}`);
    bellows.forge.requests.clear();
    return card;
  }

  it('a blocked account', async () => {
    const card = await asked();
    grace().prohibitLogin = true;
    expect((await click('grace', card, 'Approve')).text).toContain('The forge does not accept your account now');
    expect(sent(close)).toEqual([]);
    grace().prohibitLogin = false;
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Closed');
  });

  it('an account that is another one now', async () => {
    const card = await asked();
    bellows.forge.faults.add({
      on: /^GET \/user$/,
      trouble: { bend: (body) => Object.assign({}, body, { id: 4_711 }) },
    });
    expect((await click('grace', card, 'Approve')).text).toContain('The forge does not accept your account now');
    expect(sent(close)).toEqual([]);
    bellows.forge.faults.clear();
  });
});
