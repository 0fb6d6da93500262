import { expect } from 'vitest';
import type { ContractServer } from './server.js';
import type { On } from './suite.js';
import { expectFailure, fresh, freshRepo } from './things.js';

async function freshPull(server: ContractServer) {
  const at = await freshRepo(server);
  return { ...at, index: await server.ground.openPull(at, 'carol', fresh('Feature')) };
}

export function pulls(on: On): void {
  on('pulls.edit', 'changes title, assignees, labels and state', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    const label = await server.ground.label(at, 'bug');
    const body = { title: 'Feature 2', assignees: [bob.login], labels: [label], state: 'closed' as const };
    expect(await carol.api.pulls.edit({ ...at, body })).toMatchObject({ number: at.index, title: 'Feature 2' });
    expect(await carol.api.pulls.get(at)).toMatchObject({
      title: 'Feature 2',
      state: 'closed',
      assignees: [{ login: bob.login }],
      labels: [{ id: label }],
    });
  });

  on('pulls.edit', 'refuses strangers, unknown branches and missing pulls', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshPull(server);
    await expectFailure(dave.api.pulls.edit({ ...at, body: { state: 'closed' } }), 'forbidden');
    await expectFailure(carol.api.pulls.edit({ ...at, body: { base: 'nosuch' } }), 'notFound');
    await expectFailure(carol.api.pulls.edit({ ...at, index: 999, body: { title: 'x' } }), 'notFound');
    await expectFailure(carol.api.pulls.edit({ ...at, body: { assignees: [fresh('nobody')] } }), 'invalid');
  });

  on('pulls.edit', 'refuses an older version of the text', async (server) => {
    const { carol } = server.people;
    const at = await freshPull(server);
    const { content_version = 0 } = await carol.api.pulls.get(at);
    await carol.api.pulls.edit({ ...at, body: { body: 'second', content_version } });
    if (server.product === 'Forgejo') {
      return expect((await carol.api.pulls.get(at)).content_version).toBeUndefined();
    }
    await expectFailure(carol.api.pulls.edit({ ...at, body: { body: 'third', content_version } }), 'conflict');
  });

  on('pulls.requestReviewers', 'requests a person and a team, and returns only what is new', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    const asked = await carol.api.pulls.requestReviewers({ ...at, body: { reviewers: [bob.login] } });
    expect(asked).toMatchObject([{ state: 'REQUEST_REVIEW', user: { login: bob.login } }]);
    expect(await carol.api.pulls.requestReviewers({ ...at, body: { reviewers: [bob.login] } })).toEqual([]);
    const team = await carol.api.pulls.requestReviewers({ ...at, body: { team_reviewers: ['core'] } });
    expect(team).toMatchObject([{ user: undefined, team: { name: 'core' } }]);
    const { requested_reviewers } = await carol.api.pulls.get(at);
    expect(requested_reviewers.map(({ login }) => login)).toEqual([bob.login]);
  });

  on('pulls.requestReviewers', 'refuses the author, unknown people and closed pulls', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    await expectFailure(carol.api.pulls.requestReviewers({ ...at, body: { reviewers: [carol.login] } }), 'invalid');
    await expectFailure(carol.api.pulls.requestReviewers({ ...at, body: { reviewers: [fresh('x')] } }), 'notFound');
    await expectFailure(
      carol.api.pulls.requestReviewers({ ...at, index: 999, body: { reviewers: [bob.login] } }),
      'notFound',
    );
  });

  on('pulls.get', 'shows both branches', async (server) => {
    const at = await freshPull(server);
    expect(await server.people.bob.api.pulls.get(at)).toMatchObject({
      merged: false,
      base: { ref: 'main', repo: { name: at.repo } },
      head: { ref: expect.stringMatching(/^branch-/), sha: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    await expectFailure(server.people.bob.api.pulls.get({ ...at, index: 999 }), 'notFound');
  });

  on('pulls.list', 'lists by state', async (server) => {
    const { carol } = server.people;
    const at = await freshPull(server);
    expect((await carol.api.pulls.list({ ...at, query: { state: 'open' } })).items).toMatchObject([
      { number: at.index },
    ]);
    expect((await carol.api.pulls.list({ ...at, query: { state: 'closed' } })).items).toEqual([]);
  });

  on('pulls.submitReview', 'approves the commit that was seen', async (server) => {
    const { bob } = server.people;
    const at = await freshPull(server);
    const { head } = await bob.api.pulls.get(at);
    const body = { event: 'APPROVED' as const, body: 'ok', commit_id: head?.sha };
    const review = await bob.api.pulls.submitReview({ ...at, body });
    expect(review).toMatchObject({ state: 'APPROVED', commit_id: head?.sha, user: { login: bob.login } });
  });

  on('pulls.submitReview', 'refuses the author and pulls that are closed', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    await expectFailure(carol.api.pulls.submitReview({ ...at, body: { event: 'APPROVED' } }), 'invalid');
    await carol.api.pulls.edit({ ...at, body: { state: 'closed' } });
    await expectFailure(bob.api.pulls.submitReview({ ...at, body: { event: 'APPROVED' } }), 'invalid');
  });

  on('pulls.listReviews', 'shows reviews and requests', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    await bob.api.pulls.submitReview({ ...at, body: { event: 'REQUEST_CHANGES', body: 'tests?' } });
    const { items } = await carol.api.pulls.listReviews(at);
    expect(items).toMatchObject([{ state: 'REQUEST_CHANGES', body: 'tests?', user: { login: bob.login } }]);
  });

  on('pulls.listFiles', 'lists the files it changes', async (server) => {
    const at = await freshPull(server);
    const { items } = await server.people.carol.api.pulls.listFiles(at);
    expect(items.length).toBeGreaterThan(0);
    for (const { filename, status } of items) expect([filename, status]).not.toContain('');
    await expectFailure(server.people.carol.api.pulls.listFiles({ ...at, index: 987_654 }), 'notFound');
  });

  on('pulls.merge', 'merges the commit that was seen, once', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    const { head } = await bob.api.pulls.get(at);
    const body = { Do: 'merge' as const, head_commit_id: head?.sha };
    await expect.poll(async () => (await bob.api.pulls.get(at)).mergeable, { timeout: 10_000 }).toBe(true);
    expect(await bob.api.pulls.merge({ ...at, body })).toBeUndefined();
    expect(await carol.api.pulls.get(at)).toMatchObject({ merged: true, merged_by: { login: bob.login } });
    await expectFailure(bob.api.pulls.merge({ ...at, body }), 'rejected');
    await expectFailure(carol.api.pulls.edit({ ...at, body: { state: 'open' } }), 'blocked');
  });

  on('pulls.merge', 'refuses a head that moved, and strangers', async (server) => {
    const { bob, dave } = server.people;
    const at = await freshPull(server);
    await expect.poll(async () => (await bob.api.pulls.get(at)).mergeable, { timeout: 10_000 }).toBe(true);
    const body = { Do: 'merge' as const, head_commit_id: 'a'.repeat(40) };
    await expectFailure(bob.api.pulls.merge({ ...at, body }), 'conflict');
    await expectFailure(dave.api.pulls.merge({ ...at, body: { Do: 'merge' } }), 'rejected');
  });
}
