import { expect } from 'vitest';
import type { Person } from './server.js';
import type { On } from './suite.js';
import { all, expectFailure, fresh, freshRepo } from './things.js';

const file = (by: Person, { owner, repo }: { owner: string; repo: string }, path: string, text: string) =>
  by.send('POST', `/repos/${owner}/${repo}/contents/${path}`, {
    content: Buffer.from(text).toString('base64'),
    message: `add ${path}`,
    branch: 'main',
  });

export function reposAround(on: On): void {
  on('repos.delete', 'is for those who administer it', async (server) => {
    const at = await freshRepo(server);
    await expectFailure(server.people.dave.api.repos.delete(at), 'forbidden');
    await server.people.alice.api.repos.delete(at);
    await expectFailure(server.people.alice.api.repos.get(at), 'notFound');
  });

  on('repos.get', 'follows a repository that was renamed, and hides what is private', async (server) => {
    const { alice, dave } = server.people;
    const at = await freshRepo(server, { private: true });
    await expectFailure(dave.api.repos.get(at), 'notFound');
    const name = fresh('renamed');
    await server.ground.rename(at, name);
    expect(await alice.api.repos.get(at)).toMatchObject({ name, permissions: { admin: true } });
  });

  on('repos.mine', 'lists what the caller can access', async (server) => {
    const { repo } = await freshRepo(server, { private: true });
    const mine = await all(server.people.alice.api.repos.mine.each());
    expect(mine.map(({ name }) => name)).toContain(repo);
  });

  on('repos.getRelease', 'shows a release by its tag', async (server) => {
    const at = await freshRepo(server);
    const { alice, carol } = server.people;
    const body = { tag_name: 'v1.0', name: 'First', body: 'Turns the crank.', target_commitish: 'main' };
    expect((await alice.send('POST', `/repos/${at.owner}/${at.repo}/releases`, body)).status).toBe(201);
    const found = await carol.api.repos.getRelease({ ...at, tag: 'v1.0' });
    expect(found).toMatchObject({ tag_name: 'v1.0', name: 'First', body: 'Turns the crank.', prerelease: false });
    await expectFailure(carol.api.repos.getRelease({ ...at, tag: 'v9' }), 'notFound');
  });

  on('repos.listReleases', 'lists releases, newest first', async (server) => {
    const at = await freshRepo(server);
    const { alice, carol } = server.people;
    for (const tag_name of ['v1.0', 'v1.1'])
      await alice.send('POST', `/repos/${at.owner}/${at.repo}/releases`, { tag_name, target_commitish: 'main' });
    const { items } = await carol.api.repos.listReleases(at);
    expect(items.map(({ tag_name }) => tag_name).sort()).toEqual(['v1.0', 'v1.1']);
  });

  on('repos.getBranch', 'tells everyone what a branch demands of a merge', async (server) => {
    const { alice, bob, dave } = server.people;
    const at = await freshRepo(server);
    expect(await dave.api.repos.getBranch({ ...at, branch: 'main' })).toMatchObject({
      ...{ name: 'main', protected: false, enable_status_check: false, status_check_contexts: [] },
      ...{ required_approvals: 0, user_can_merge: false },
    });
    const rule = {
      rule_name: 'main',
      required_approvals: 2,
      enable_status_check: true,
      status_check_contexts: ['ci/*'],
    };
    const list = { enable_merge_whitelist: true, merge_whitelist_usernames: [alice.login] };
    const path = `/repos/${at.owner}/${at.repo}/branch_protections`;
    expect((await alice.send('POST', path, { ...rule, ...list })).status).toBe(201);
    expect((await alice.send('POST', path, rule)).status).toBe(403);
    const shown = {
      protected: true,
      required_approvals: 2,
      enable_status_check: true,
      status_check_contexts: ['ci/*'],
    };
    expect(await bob.api.repos.getBranch({ ...at, branch: 'main' })).toMatchObject({ ...shown, user_can_merge: false });
    expect(await alice.api.repos.getBranch({ ...at, branch: 'main' })).toMatchObject({ user_can_merge: true });
    await server.ground.branch(at, 'with/slash');
    expect(await bob.api.repos.getBranch({ ...at, branch: 'with/slash' })).toMatchObject({ name: 'with/slash' });
    await expectFailure(bob.api.repos.getBranch({ ...at, branch: 'nosuch' }), 'notFound');
  });

  on('repos.getProtection', 'shows the rule of a branch to repository admins', async (server) => {
    const { alice, bob } = server.people;
    const at = await freshRepo(server);
    const rule = { enable_status_check: true, status_check_contexts: ['ci/*'] };
    await alice.send('POST', `/repos/${at.owner}/${at.repo}/branch_protections`, { ...rule, rule_name: 'main' });
    const shown = { enable_status_check: true, status_check_contexts: ['ci/*'] };
    expect(await alice.api.repos.getProtection({ ...at, name: 'main' })).toMatchObject(shown);
    const seen = async (by: typeof alice) =>
      (await by.api.repos.getBranch({ ...at, branch: 'main' })).effective_branch_protection_name;
    expect([await seen(alice), await seen(bob)]).toEqual(['main', '']);
    await expectFailure(bob.api.repos.getProtection({ ...at, name: 'main' }), 'forbidden');
    await expectFailure(alice.api.repos.getProtection({ ...at, name: 'nosuch' }), 'notFound');
  });

  on('repos.editProtection', 'changes what is required, and nothing else', async (server) => {
    const { alice, bob } = server.people;
    const at = await freshRepo(server);
    const rule = { rule_name: 'main', required_approvals: 2, enable_status_check: false };
    await alice.send('POST', `/repos/${at.owner}/${at.repo}/branch_protections`, rule);
    const edit = (by: typeof alice, contexts: string[]) =>
      by.api.repos.editProtection({
        ...at,
        name: 'main',
        body: { enable_status_check: contexts.length > 0, status_check_contexts: contexts },
      });
    await expectFailure(edit(bob, ['bellows/queue']), 'forbidden');
    await edit(alice, ['bellows/queue']);
    const branch = () => bob.api.repos.getBranch({ ...at, branch: 'main' });
    expect(await branch()).toMatchObject({
      ...{ required_approvals: 2, enable_status_check: true, status_check_contexts: ['bellows/queue'] },
    });
    await edit(alice, []);
    expect(await branch()).toMatchObject({ required_approvals: 2, enable_status_check: false });
  });

  on('repos.createStatus', 'reports a status for those who may write; the newest counts', async (server) => {
    const { bob, dave } = server.people;
    const at = await freshRepo(server);
    const sha = (await bob.api.repos.getBranch({ ...at, branch: 'main' })).commit?.id ?? '';
    const tell = (by: typeof bob, state: 'pending' | 'failure') =>
      by.api.repos.createStatus({ ...at, sha, body: { state, context: 'bellows/queue', description: 'Second' } });
    await expectFailure(tell(dave, 'pending'), 'forbidden');
    await tell(bob, 'pending');
    expect(await tell(bob, 'failure')).toMatchObject({ status: 'failure', context: 'bellows/queue' });
    const { items } = await dave.api.repos.commitStatus({ ...at, ref: sha });
    expect(items).toMatchObject([{ status: 'failure', context: 'bellows/queue', description: 'Second' }]);
  });

  on('repos.deleteBranch', 'deletes a branch for those who may write, but never the default one', async (server) => {
    const { bob, dave } = server.people;
    const at = await freshRepo(server);
    await server.ground.branch(at, 'with/slash');
    await expectFailure(dave.api.repos.deleteBranch({ ...at, branch: 'with/slash' }), 'forbidden');
    await bob.api.repos.deleteBranch({ ...at, branch: 'with/slash' });
    await expectFailure(bob.api.repos.deleteBranch({ ...at, branch: 'with/slash' }), 'notFound');
    await expectFailure(bob.api.repos.deleteBranch({ ...at, branch: 'main' }), 'forbidden');
  });

  on('repos.listBranches', 'lists branches', async (server) => {
    const at = await freshRepo(server);
    await server.ground.branch(at, 'feature');
    const { items } = await server.people.carol.api.repos.listBranches(at);
    expect(items.map(({ name }) => name).sort()).toEqual(['feature', 'main']);
  });

  on('repos.listLabels', 'lists labels', async (server) => {
    const at = await freshRepo(server);
    const id = await server.ground.label(at, 'bug');
    const { items } = await server.people.carol.api.repos.listLabels(at);
    expect(items).toMatchObject([{ id, name: 'bug', color: '00aabb' }]);
  });

  on('repos.listMilestones', 'lists milestones', async (server) => {
    const at = await freshRepo(server);
    const id = await server.ground.milestone(at, 'v1');
    const { items } = await server.people.carol.api.repos.listMilestones({ ...at, query: { state: 'all' } });
    expect(items).toMatchObject([{ id, title: 'v1', state: 'open' }]);
  });

  on('repos.listAssignees', 'lists who can be assigned', async (server) => {
    const { items } = await server.people.carol.api.repos.listAssignees(await freshRepo(server));
    const { bob, dave } = server.people;
    expect(items.map(({ login }) => login)).toContain(bob.login);
    expect(items.map(({ login }) => login)).not.toContain(dave.login);
  });

  on('repos.listReviewers', 'lists who can review, to those who may request reviews', async (server) => {
    const { alice, bob } = server.people;
    const { items } = await alice.api.repos.listReviewers(await freshRepo(server));
    expect(items.map(({ login }) => login)).toContain(bob.login);
  });

  on('repos.listTeams', 'lists teams', async (server) => {
    const { items } = await server.people.alice.api.repos.listTeams(await freshRepo(server));
    expect(items.map(({ name }) => name)).toContain('core');
  });

  on('repos.listIssueTemplates', 'lists forms and Markdown templates', async (server) => {
    const { alice } = server.people;
    const at = await freshRepo(server);
    expect((await alice.api.repos.listIssueTemplates(at)).items).toEqual([]);
    const form =
      'name: Bug\nabout: A bug\nbody:\n  - type: input\n    id: version\n    attributes: { label: Version }\n';
    await file(alice, at, '.gitea/ISSUE_TEMPLATE/bug.yaml', form);
    await file(
      alice,
      at,
      '.gitea/ISSUE_TEMPLATE/story.md',
      '---\nname: Story\nabout: A wish\nlabels: [docs]\n---\nI want\n',
    );
    const { items } = await alice.api.repos.listIssueTemplates(at);
    const named = (name: string) => items.find((each) => each.name === name);
    expect(named('Bug')).toMatchObject({ content: '', body: [{ type: 'input', id: 'version' }] });
    expect(named('Bug')?.file_name).toContain('bug.yaml');
    expect(named('Story')).toMatchObject({ labels: ['docs'], body: [] });
    expect(named('Story')?.content).toContain('I want');
  });

  on('repos.getIssueConfig', 'says whether blank issues are allowed', async (server) => {
    const { alice } = server.people;
    const at = await freshRepo(server);
    expect(await alice.api.repos.getIssueConfig(at)).toMatchObject({ blank_issues_enabled: true });
    await file(alice, at, '.gitea/ISSUE_TEMPLATE/config.yaml', 'blank_issues_enabled: false\n');
    expect(await alice.api.repos.getIssueConfig(at)).toMatchObject({ blank_issues_enabled: false });
  });

  on('repos.permission', 'says what a person may do', async (server) => {
    const { alice, dave } = server.people;
    const at = await freshRepo(server);
    const may = async (username: string) => (await alice.api.repos.permission({ ...at, username })).permission;
    expect(await may(alice.login)).toBe('owner');
    expect(await may(dave.login)).toBe('read');
    await expectFailure(alice.api.repos.permission({ ...at, username: fresh('nobody') }), 'notFound');
  });

  on('repos.commitStatus', 'answers for a branch without any statuses', async (server) => {
    const at = await freshRepo(server);
    const status = await server.people.carol.api.repos.commitStatus({ ...at, ref: 'main' });
    expect(status.items).toEqual([]);
  });
}
