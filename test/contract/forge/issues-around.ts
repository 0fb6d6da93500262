import { expect } from 'vitest';
import type { On } from './suite.js';
import { expectFailure, freshIssue, freshRepo } from './things.js';

export function issuesAround(on: On): void {
  on('issues.block', 'makes one issue depend on another', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const [waits, blocker] = [await freshIssue(server, repo), await freshIssue(server, repo)];
    expect(await carol.api.issues.block({ ...blocker, body: waits })).toMatchObject({ number: blocker.index });
    const { items } = await carol.api.issues.listDependencies(waits);
    expect(items.map(({ number }) => number)).toEqual([blocker.index]);
  });

  on('issues.block', 'refuses repeats, cycles and missing issues', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const [waits, blocker] = [await freshIssue(server, repo), await freshIssue(server, repo)];
    await carol.api.issues.block({ ...blocker, body: waits });
    await expectFailure(carol.api.issues.block({ ...blocker, body: waits }), 'rejected');
    await expectFailure(carol.api.issues.block({ ...waits, body: blocker }), 'rejected');
    await expectFailure(carol.api.issues.block({ ...blocker, body: { ...waits, index: 999 } }), 'notFound');
    await expectFailure(carol.api.issues.block({ ...blocker, index: 999, body: waits }), 'notFound');
  });

  on('issues.unblock', 'removes the dependency, once', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const [waits, blocker] = [await freshIssue(server, repo), await freshIssue(server, repo)];
    await carol.api.issues.block({ ...blocker, body: waits });
    expect(await carol.api.issues.unblock({ ...blocker, body: waits })).toMatchObject({ number: blocker.index });
    expect((await carol.api.issues.listDependencies(waits)).items).toEqual([]);
    await expectFailure(carol.api.issues.unblock({ ...blocker, body: waits }), 'rejected');
    await expectFailure(carol.api.issues.unblock({ ...blocker, body: { ...waits, index: 999 } }), 'notFound');
  });

  on('issues.listBlocks', 'lists what an issue blocks', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const [waits, blocker] = [await freshIssue(server, repo), await freshIssue(server, repo)];
    await carol.api.issues.block({ ...blocker, body: waits });
    expect((await carol.api.issues.listBlocks(blocker)).items).toMatchObject([{ number: waits.index }]);
  });

  on('issues.listDependencies', 'is empty if nothing blocks', async (server) => {
    const at = await freshIssue(server, await freshRepo(server));
    expect((await server.people.carol.api.issues.listDependencies(at)).items).toEqual([]);
  });

  on('issues.list', 'lists a repository’s own issues, and nothing to people who may not see it', async (server) => {
    const at = await freshRepo(server, { private: true });
    const { alice, dave } = server.people;
    const { number } = await alice.api.issues.create({ ...at, body: { title: 'Only here' } });
    const { items } = await alice.api.issues.list({ ...at, query: { type: 'issues', state: 'all', limit: 1 } });
    expect(items).toMatchObject([{ number, title: 'Only here' }]);
    await expectFailure(dave.api.issues.list(at), 'notFound');
  });

  on('issues.get', 'knows no such issue', async (server) => {
    const at = await freshRepo(server);
    await expectFailure(server.people.carol.api.issues.get({ ...at, index: 999 }), 'notFound');
  });

  on('issues.create', 'opens an issue with labels, milestone and assignees', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshRepo(server);
    const label = await server.ground.label(at, 'bug');
    const milestone = await server.ground.milestone(at, 'v1');
    const body = { title: 'Broken | pipe', body: 'text', labels: [label], milestone, assignees: [bob.login] };
    const made = await carol.api.issues.create({ ...at, body });
    expect(await carol.api.issues.get({ ...at, index: made.number })).toMatchObject({
      title: 'Broken | pipe',
      state: 'open',
      user: { login: carol.login },
      labels: [{ id: label }],
      milestone: { id: milestone },
      assignees: [{ login: bob.login }],
    });
  });

  on('issues.create', 'refuses an empty title and archived repositories', async (server) => {
    const { carol } = server.people;
    const at = await freshRepo(server);
    expect((await carol.send('POST', `/repos/${at.owner}/${at.repo}/issues`, { title: '' })).status).toBe(422);
    await server.ground.archive(at);
    await expectFailure(carol.api.issues.create({ ...at, body: { title: 'late' } }), 'archived');
  });

  on('issues.setLabels', 'replaces all labels', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const [bug, feature] = [await server.ground.label(repo, 'bug'), await server.ground.label(repo, 'feature')];
    const at = await freshIssue(server, repo);
    await carol.api.issues.setLabels({ ...at, body: { labels: [bug] } });
    expect(await carol.api.issues.setLabels({ ...at, body: { labels: [feature] } })).toMatchObject([{ id: feature }]);
    expect((await carol.api.issues.get(at)).labels.map(({ name }) => name)).toEqual(['feature']);
    await carol.api.issues.setLabels({ ...at, body: { labels: [] } });
    expect((await carol.api.issues.get(at)).labels).toEqual([]);
  });

  on('issues.getComment', 'shows one comment, and none that does not exist', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshIssue(server, await freshRepo(server, { private: true }));
    const made = await carol.api.issues.comment({ ...at, body: { body: 'hello' } });
    const ref = { owner: at.owner, repo: at.repo, id: made.id };
    expect(await carol.api.issues.getComment(ref)).toMatchObject({ body: 'hello', user: { login: carol.login } });
    await expectFailure(carol.api.issues.getComment({ ...ref, id: 987_654 }), 'notFound');
    await expectFailure(dave.api.issues.getComment(ref), 'notFound');
  });

  on('issues.editComment', 'changes one’s own comment, and nobody else’s', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const { id } = await carol.api.issues.comment({ ...at, body: { body: 'hello' } });
    const ref = { owner: at.owner, repo: at.repo, id };
    expect(await carol.api.issues.editComment({ ...ref, body: { body: 'bye' } })).toMatchObject({ id, body: 'bye' });
    await expectFailure(dave.api.issues.editComment({ ...ref, body: { body: 'mine' } }), 'forbidden');
  });

  on('issues.deleteComment', 'deletes one’s own comment, and nobody else’s', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const { id } = await carol.api.issues.comment({ ...at, body: { body: 'hello' } });
    const ref = { owner: at.owner, repo: at.repo, id };
    await expectFailure(dave.api.issues.deleteComment(ref), 'forbidden');
    await carol.api.issues.deleteComment(ref);
    await expectFailure(carol.api.issues.getComment(ref), 'notFound');
  });

  on('issues.listComments', 'lists comments since a time', async (server) => {
    const { carol } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const made = await carol.api.issues.comment({ ...at, body: { body: 'hello' } });
    const past = await carol.api.issues.listComments({ ...at, query: { since: new Date('2001-01-01') } });
    expect(past.items.map(({ id }) => id)).toEqual([made.id]);
    const future = await carol.api.issues.listComments({ ...at, query: { since: new Date('2040-01-01') } });
    expect(future.items).toEqual([]);
  });

  on('issues.timeline', 'says who assigned whom, and who undid it', async (server) => {
    const { alice, bob, carol } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    await alice.api.issues.edit({ ...at, body: { assignees: [bob.login] } });
    await carol.api.issues.edit({ ...at, body: { assignees: [] } });
    const { items } = await bob.api.issues.timeline({ ...at, query: { since: new Date('2001-01-01') } });
    expect(items.filter(({ type }) => type === 'assignees')).toMatchObject([
      { user: { login: alice.login }, assignee: { login: bob.login }, removed_assignee: false },
      { user: { login: carol.login }, assignee: { login: bob.login }, removed_assignee: true },
    ]);
    expect((await bob.api.issues.timeline({ ...at, query: { since: new Date('2040-01-01') } })).items).toEqual([]);
  });

  on('issues.timeline', 'says whose review was requested, and who closed and reopened it', async (server) => {
    const { alice, bob, carol } = server.people;
    const repo = await freshRepo(server);
    const at = { ...repo, index: await server.ground.openPull(repo, 'carol', 'Belt') };
    await alice.api.pulls.requestReviewers({ ...at, body: { reviewers: [bob.login], team_reviewers: ['core'] } });
    await carol.api.pulls.edit({ ...at, body: { state: 'closed' } });
    await alice.api.pulls.edit({ ...at, body: { state: 'open' } });
    const { items } = await bob.api.issues.timeline(at);
    const entries = items.filter(({ type }) => ['review_request', 'close', 'reopen'].includes(type));
    expect(entries).toMatchObject([
      { type: 'review_request', user: { login: alice.login }, assignee: { login: bob.login } },
      { type: 'review_request', user: { login: alice.login }, assignee_team: { name: 'core' } },
      { type: 'close', user: { login: carol.login } },
      { type: 'reopen', user: { login: alice.login } },
    ]);
  });
}
