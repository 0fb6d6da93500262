import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideIn } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import { fresh, freshIssue, freshRepo } from '../contract/forge/things.js';
import { addAgent, clientOver, overHttp } from '../mcp/agent.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const workflow = 'on: workflow_dispatch\njobs:\n  ship:\n    runs-on: nowhere\n    steps:\n      - run: make deploy\n';
const admins = ['U0ADA00001', 'U0ALAN0001'];

/** What was approved is what happens. What only Forgejo does (its folders first, empty inputs) is in the suite. */
describe.skipIf(!live)(`promises on ${nameOf(live)}`, { timeout: 120_000 }, () => {
  let bellows: Bellows;
  /** Under rules, without rules, and not for everyone. */
  let ruled: At;
  let free: At;
  let vault: At;
  type At = { readonly owner: string; readonly repo: string };
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const { type } = talkTo(() => bellows);
  const { ask, cardSays, click, messaged } = decideIn(() => bellows);
  const named = ({ owner, repo }: At, index?: number) => `${owner}/${repo}${index === undefined ? '' : `#${index}`}`;
  const alice = () => server().people.alice;
  const pullNow = (at: At, index: number) => alice().api.pulls.get({ ...at, index });
  const headOf = async (at: At, index: number) => (await pullNow(at, index)).head ?? { ref: '', sha: '' };
  const inPublic = () =>
    JSON.stringify(
      bellows.slack.state.messages('engine').filter((shown) => !('onlyFor' in shown) || shown.onlyFor === undefined),
    );

  async function call(by: 'alice' | 'bob' | 'root', method: 'POST' | 'PATCH', path: string, body: unknown) {
    const { status, text } = await server().people[by].send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  }
  /** A commit with one new file. */
  const push = (at: At, branch: string, by: 'alice' | 'bob' = 'bob', author?: { name: string; email: string }) =>
    call(by, 'POST', `/repos/${named(at)}/contents/${fresh('file')}.txt`, {
      ...{ branch, message: 'More', content: Buffer.from('more').toString('base64') },
      ...(author && { author, committer: author }),
    });
  const report = (at: At, sha: string, state: string) =>
    call('alice', 'POST', `/repos/${named(at)}/statuses/${sha}`, { state, context: 'ci/build' });
  const open = (at: At, by: 'alice' | 'bob' = 'alice') => server().ground.openPull(at, by, fresh('Pull'));
  async function waits(at: At) {
    const index = await open(at);
    const { ref, sha } = await headOf(at, index);
    await report(at, sha, 'pending');
    await type('ada', `pr merge ${named(at, index)} --when-checks-succeed --style merge`);
    return { index, ref, sha };
  }

  beforeAll(async () => {
    const { people, ground } = server();
    [ruled, free, vault] = [
      await freshRepo(server()),
      await freshRepo(server()),
      await freshRepo(server(), { private: true }),
    ];
    await ground.workflow(ruled, 'deploy.yml', workflow);
    const rule = (command: string) =>
      `    - { repository: ${named(ruled)}, command: ${command}, approve: maintainer, count: 1, authorsCount: false }`;
    const policy = `
roles:
  admin: { users: [${admins.join(', ')}] }
  maintainer: { users: [U0GRACE001] }
approvals:
  rules:
${['issue close', 'pr approve', 'pr merge'].map(rule).join('\n')}
deployments:
  production:
    repository: ${named(ruled)}
    workflow: deploy.yml
    refs: [main]
    approve: maintainer
    authorsCount: false
`;
    bellows = await startBellows({
      real: { url: server().url, token: await tokenOf(people.root) },
      policy,
      agents: true,
    });
    await bellows.link('ada', people.alice.login, await tokenOf(people.alice));
    await bellows.link('grace', people.bob.login, await tokenOf(people.bob));
    await bellows.link('alan', people.carol.login, await tokenOf(people.carol));
  }, 240_000);
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  describe('a private issue that blocks a public one', () => {
    let blocked: number;
    const title = fresh('Sell-the-company');
    beforeAll(async () => {
      blocked = (await freshIssue(server(), ruled)).index;
      const { number } = await alice().api.issues.create({ ...vault, body: { title } });
      await call('alice', 'POST', `/repos/${named(ruled)}/issues/${blocked}/dependencies`, {
        owner: vault.owner,
        repo: vault.repo,
        index: number,
      });
    });

    it('is not named on an approval card in a public channel', async () => {
      const card = await ask(`issue close ${named(ruled, blocked)}`);
      await bellows.slack.as('grace').click(card, 'Approve');
      expect(words(await cardSays(card, 'while these are open'))).toContain('in a repository not shown here');
      expect(inPublic()).not.toContain(title);
      expect(inPublic()).not.toContain(vault.repo);
    });

    it('is not named to an agent limited to the public one', async () => {
      const token = await addAgent(bellows, 'ada', `Narrow --may "issue *" --repos "${named(ruled)}"`);
      const agent = await clientOver(overHttp(bellows.address, token));
      const { text } = await agent.call('issue_show', { issue: named(ruled, blocked) });
      expect(text).toContain(`#${blocked}`);
      expect(text).not.toContain(title);
      await agent.close();
    });
  });

  it('nothing is merged while a check is pending or after it is red', async () => {
    const { index, sha } = await waits(free);
    await report(free, sha, 'failure');
    await messaged('ada', `#${index}.*(failed|red)`);
    expect(await pullNow(free, index)).toMatchObject({ merged: false, state: 'open' });
  });

  it('a retarget ends the wait, so no rule of the new base is bypassed', async () => {
    await server().ground.branch(free, 'dev');
    const { index, sha } = await waits(free);
    await call('alice', 'PATCH', `/repos/${named(free)}/pulls/${index}`, { base: 'dev' });
    await messaged('ada', `#${index}.*dev`);
    await report(free, sha, 'success');
    expect(await pullNow(free, index)).toMatchObject({ merged: false, state: 'open' });
  });

  it('a push ends the wait', async () => {
    const { index, ref } = await waits(free);
    await push(free, ref);
    await report(free, (await headOf(free, index)).sha, 'success');
    await messaged('ada', `#${index} has new commits`);
    expect(await pullNow(free, index)).toMatchObject({ merged: false, state: 'open' });
  });

  it('a tag named like the branch does not start a deployment by hand', async () => {
    await call('alice', 'POST', `/repos/${named(ruled)}/tags`, { tag_name: 'main', target: 'main' });
    const answer = words(await type('ada', `workflow run ${named(ruled)} deploy.yml --ref main`));
    expect(answer).toMatch(/deploy/);
    const { items } = await alice().api.runs.list(ruled);
    expect(items.filter(({ event }) => event === 'workflow_dispatch')).toEqual([]);
  });

  it('an unknown author leaves the decision to an admin who did not request it', async () => {
    await push(ruled, 'main', 'alice', { name: 'Someone', email: 'nobody@elsewhere.example' });
    const card = await ask('deploy production');
    expect(words(card)).toContain('Unknown authors');
    await click('grace', card, 'Approve');
    const { items } = await alice().api.runs.list(ruled);
    expect(items.filter(({ event }) => event === 'workflow_dispatch')).toEqual([]);
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, 'Deploying');
  });

  it('who pushed to a pull request does not approve its merge', async () => {
    const index = await open(ruled);
    await push(ruled, (await headOf(ruled, index)).ref, 'bob');
    const card = await ask(`pr merge ${named(ruled, index)} --style merge`);
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
    expect((await pullNow(ruled, index)).merged).toBe(false);
  });

  it('an approval of a pull request is bound to its head', async () => {
    const index = await open(ruled, 'bob');
    const { ref } = await headOf(ruled, index);
    const card = await ask(`pr approve ${named(ruled, index)}`);
    await push(ruled, ref, 'alice');
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, /head was [0-9a-f]{10}, now [0-9a-f]{10}/);
    expect((await alice().api.pulls.listReviews({ ...ruled, index })).items).toEqual([]);
  });

  it('a merge is bound to the style that was shown', async () => {
    const index = await open(ruled);
    const card = await ask(`pr merge ${named(ruled, index)}`);
    await call('alice', 'PATCH', `/repos/${named(ruled)}`, { default_merge_style: 'squash' });
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, 'merge style was merge, now squash');
    expect((await pullNow(ruled, index)).merged).toBe(false);
  });

  it('another repository that took over the name is left alone', async () => {
    const { index } = await freshIssue(server(), ruled);
    const card = await ask(`issue close ${named(ruled, index)}`);
    await server().ground.rename(ruled, `${ruled.repo}-old`);
    const body = { name: ruled.repo, auto_init: true, default_branch: 'main' };
    await alice().api.repos.createInOrg({ org: ruled.owner, body });
    for (let at = 0; at < index; at += 1) await freshIssue(server(), ruled);
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'is now another repository');
    for (const repo of [ruled.repo, `${ruled.repo}-old`])
      expect(await alice().api.issues.get({ owner: ruled.owner, repo, index })).toMatchObject({ state: 'open' });
  });
});
