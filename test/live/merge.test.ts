import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { fresh, freshIssue, freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();

describe.skipIf(!live)(`merging and scopes on ${nameOf(live)}`, () => {
  let bellows: Bellows;
  const { type, form, after } = talkTo(() => bellows);
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  type At = { readonly owner: string; readonly repo: string };
  const pull = (at: At) => server().ground.openPull(at, 'alice', fresh('Pull'));
  const isMerged = async (at: At, index: number) =>
    (await server().people.alice.api.pulls.get({ ...at, index })).merged;
  const mergeable = async (at: At, index: number) => {
    const { api } = server().people.alice;
    await expect.poll(async () => (await api.pulls.get({ ...at, index })).mergeable, { timeout: 15_000 }).toBe(true);
  };
  const merge = async (at: At, index: number, flags = '') => {
    await mergeable(at, index);
    return words(await type('ada', `pr merge ${at.owner}/${at.repo}#${index} ${flags}`));
  };

  beforeAll(async () => {
    const { alice, root } = server().people;
    const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n';
    bellows = await startBellows({ real: { url: server().url, token: await tokenOf(root) }, policy });
    await bellows.link('ada', alice.login, await tokenOf(alice));
  });
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  it.each(['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only'])('merges by %s', async (style) => {
    const at = await freshRepo(server());
    const index = await pull(at);
    expect(await merge(at, index, `--style ${style} --title "As typed"`)).toContain('Merged');
    expect(await isMerged(at, index)).toBe(true);
  });

  it('says that open dependencies block it', async () => {
    const at = await freshRepo(server());
    const [index, blocker] = [await pull(at), await freshIssue(server(), at)];
    const body = { owner: at.owner, repo: at.repo, index: blocker.index };
    const { status } = await server().people.alice.send(
      'POST',
      `/repos/${at.owner}/${at.repo}/issues/${index}/dependencies`,
      body,
    );
    expect(status).toBe(201);
    expect(await merge(at, index)).toContain('cannot be merged while these are open');
    expect(await isMerged(at, index)).toBe(false);
  });

  it('says that approvals are missing', async () => {
    const at = await freshRepo(server());
    const index = await pull(at);
    const { status } = await server().people.alice.send('POST', `/repos/${at.owner}/${at.repo}/branch_protections`, {
      rule_name: 'main',
      branch_name: 'main',
      required_approvals: 1,
    });
    expect(status).toBe(201);
    expect(await merge(at, index)).toContain('it doesn’t have enough approvals');
    expect(await isMerged(at, index)).toBe(false);
  });

  it('says that the head has moved', async () => {
    const at = await freshRepo(server());
    const index = await pull(at);
    await mergeable(at, index);
    const { api } = server().people.alice;
    const seen = (await api.pulls.get({ ...at, index })).head?.sha ?? '';
    const body = { Do: 'merge' as const, head_commit_id: seen.replace(/^./, (first) => (first === '0' ? '1' : '0')) };
    const error = await api.pulls.merge({ ...at, index, body }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: 'conflict', status: 409 });
    expect(await isMerged(at, index)).toBe(false);
  });

  it('says which scope a token lacks before anyone is asked to approve', async () => {
    const { root } = server().people;
    const everyday = ['write:repository', 'write:issue', 'write:notification', 'write:user', 'write:organization'];
    const made = await (root.byPassword ?? root.api).users.createToken({
      username: root.login,
      body: { name: fresh('scopes'), scopes: [...everyday, 'read:package'] },
    });
    const grace = bellows.slack.as('grace');
    await grace.command('engine', '/forge', 'signin');
    await form('grace');
    await grace.fill({ token: made.sha1 });
    const answer = words(await after('grace', () => grace.submit()));
    expect(answer).toMatch(/lacks `(read|write):admin`/);
    expect(words(await type('grace', 'whoami'))).toContain('write:repository');
    const refused = words(await type('grace', 'cron run update_mirrors'));
    expect(refused).toContain('it lacks `write:admin`');
    expect(words(await type('grace', 'cron list'))).toContain('it lacks `read:admin`');
  });
});
