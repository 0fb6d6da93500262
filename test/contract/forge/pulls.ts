import { expect } from 'vitest';
import { ApiError, gather } from '../../../src/forge/index.js';
import type { ContractServer } from './server.js';
import type { On } from './suite.js';
import { expectFailure, fresh, freshRepo } from './things.js';

async function freshPull(server: ContractServer) {
  const at = await freshRepo(server);
  return { ...at, index: await server.ground.openPull(at, 'carol', fresh('Feature')) };
}

type At = Awaited<ReturnType<typeof freshPull>>;

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

  on('pulls.withdrawRequests', 'withdraws people and teams, whether or not they were requested', async (server) => {
    const { alice, carol, bob } = server.people;
    const at = await freshPull(server);
    await carol.api.pulls.requestReviewers({ ...at, body: { reviewers: [bob.login], team_reviewers: ['core'] } });
    const both = { ...at, body: { reviewers: [bob.login], team_reviewers: ['core'] } };
    for (let times = 0; times < 2; times += 1) await carol.api.pulls.withdrawRequests(both);
    const open = await gather(alice.api.pulls.listReviews.each(at, { max: 50 }));
    expect(open.filter(({ state }) => state === 'REQUEST_REVIEW')).toEqual([]);
    const { items } = await alice.api.issues.timeline(at);
    const requests = items.filter(({ type }) => type === 'review_request');
    expect(requests.map(({ removed_assignee }) => removed_assignee)).toEqual([false, false, true, true]);
    // everyone may request and withdraw themselves, and two at once both succeed
    for (const { api, login } of [alice, bob])
      expect(await api.pulls.requestReviewers({ ...at, body: { reviewers: [login] } })).toHaveLength(1);
    await bob.api.pulls.withdrawRequests({ ...at, body: { reviewers: [bob.login] } });
    await expectFailure(bob.api.pulls.withdrawRequests({ ...at, body: { reviewers: [fresh('x')] } }), 'notFound');
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

  on('pulls.diff', 'shows what it changes as text, whole', async (server) => {
    const at = await freshPull(server);
    const { api } = server.people.bob;
    const file = (await api.pulls.listFiles(at)).items[0]?.filename;
    const { text, whole } = await api.pulls.diff({ ...at, diffType: 'diff' });
    expect(whole).toBe(true);
    expect(text).toMatch(new RegExp(`^diff --git a/${file} b/${file}\nnew file mode 100644\n`));
    expect(text).toMatch(/\n@@ -0,0 \+1(?:,\d+)? @@\n\+/);
    await expectFailure(api.pulls.diff({ ...at, index: 987_654, diffType: 'diff' }), 'notFound');
  });

  on('pulls.submitReview', 'takes comments on lines, and looks at neither file nor line', async (server) => {
    const at = await freshPull(server);
    const { api } = server.people.bob;
    const file = (await api.pulls.listFiles(at)).items[0]?.filename ?? '';
    const comment = (path: string, line: number) => ({ path, body: 'here', new_position: line });
    const send = (comments: ReturnType<typeof comment>[]) =>
      api.pulls.submitReview({ ...at, body: { event: 'COMMENT', comments } });
    expect(await send([comment(file, 1), comment('nosuch.txt', 1)])).toMatchObject({
      state: 'COMMENT',
      comments_count: 2,
    });
    const beyond = send([comment(file, 4_000)]);
    if (server.product === 'Forgejo') expect(await beyond).toMatchObject({ comments_count: 1 });
    else await expect(beyond).rejects.toMatchObject({ status: 500 });
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
    const late = bob.api.pulls.submitReview({ ...at, body: { event: 'APPROVED' } });
    if (server.product === 'Gitea') await expectFailure(late, 'invalid');
    else expect(await late).toMatchObject({ state: 'APPROVED' });
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

  on(
    'pulls.update',
    'brings the base into the branch, by merge or rebase, and only for those who may',
    async (server) => {
      const { carol, bob, dave } = server.people;
      const at = await freshPull(server);
      const update = (who: typeof bob, style: 'merge' | 'rebase') => who.api.pulls.update({ ...at, query: { style } });
      const missing = async () => {
        const { head, base } = await bob.api.pulls.get(at);
        const query = { sha: base?.sha, not: head?.sha, limit: 1 };
        return (await bob.api.repos.listCommits({ ...at, query })).items.length;
      };
      expect(await missing()).toBe(0);
      await expect(update(bob, 'merge')).rejects.toMatchObject({ status: 500 });
      for (const style of ['merge', 'rebase'] as const) {
        await server.ground.commit(at);
        expect(await missing()).toBe(1);
        await expectFailure(update(dave, 'merge'), 'forbidden');
        const before = (await bob.api.pulls.get(at)).head?.sha;
        // one server answers before it has counted what is missing
        await expect
          .poll(async () => {
            await update(bob, style).catch(() => {});
            return (await bob.api.pulls.get(at)).head?.sha;
          })
          .not.toBe(before);
        expect(await missing()).toBe(0);
        const head = (await bob.api.pulls.get(at)).head?.sha ?? '';
        await expect
          .poll(async () => {
            const { items } = await bob.api.issues.timeline({ ...at, query: { page: 1 } });
            const row = items.filter(({ type }) => type === 'pull_push').at(-1);
            return { by: row?.user?.login, ids: JSON.parse(row?.body ?? '{}').commit_ids };
          })
          .toEqual({ by: bob.login, ids: style === 'merge' ? [head] : [before, head] });
      }
      await carol.api.pulls.edit({ ...at, body: { state: 'closed' } });
      await expectFailure(update(carol, 'merge'), 'invalid');
      await expectFailure(carol.api.pulls.update({ ...at, index: 999, query: { style: 'merge' } }), 'notFound');
    },
  );

  on('repos.getTree', 'has the same entries for a merge and the updated head it merged', async (server) => {
    const { bob } = server.people;
    for (const style of ['merge', 'squash', 'rebase'] as const) {
      const at = await freshPull(server);
      const before = (await bob.api.pulls.get(at)).base?.sha ?? '';
      await expect.poll(async () => (await bob.api.pulls.get(at)).mergeable).toBe(true);
      const { head } = await bob.api.pulls.get(at);
      await bob.api.pulls.merge({ ...at, body: { Do: style, head_commit_id: head?.sha } });
      const { merge_commit_sha } = await bob.api.pulls.get(at);
      const tree = async (sha: string) => (await bob.api.repos.getTree({ ...at, sha })).tree;
      expect(await tree(merge_commit_sha)).toEqual(await tree(head?.sha ?? ''));
      expect(await tree(merge_commit_sha)).not.toEqual(await tree(before));
    }
    const at = await freshPull(server);
    await expect(bob.api.repos.getTree({ ...at, sha: 'f'.repeat(40) })).rejects.toBeInstanceOf(ApiError);
  });

  on('pulls.merge', 'merges the commit that was seen, once', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshPull(server);
    const { head } = await bob.api.pulls.get(at);
    const body = { Do: 'merge' as const, head_commit_id: head?.sha };
    await expect.poll(async () => (await bob.api.pulls.get(at)).mergeable).toBe(true);
    expect(await bob.api.pulls.merge({ ...at, body })).toBeUndefined();
    expect(await carol.api.pulls.get(at)).toMatchObject({ merged: true, merged_by: { login: bob.login } });
    await expectFailure(bob.api.pulls.merge({ ...at, body }), 'rejected');
    await expectFailure(carol.api.pulls.edit({ ...at, body: { state: 'open' } }), 'blocked');
  });

  on('pulls.merge', 'refuses a head that moved, and strangers', async (server) => {
    const { bob, dave } = server.people;
    const at = await freshPull(server);
    await expect.poll(async () => (await bob.api.pulls.get(at)).mergeable).toBe(true);
    const body = { Do: 'merge' as const, head_commit_id: 'a'.repeat(40) };
    await expectFailure(bob.api.pulls.merge({ ...at, body }), 'conflict');
    await expectFailure(dave.api.pulls.merge({ ...at, body: { Do: 'merge' } }), 'rejected');
  });

  const mergeable = (server: ContractServer, at: At) =>
    expect.poll(async () => (await server.people.bob.api.pulls.get(at)).mergeable).toBe(true);
  const protect = async ({ people }: ContractServer, { owner, repo }: At, rule: object) =>
    expect(
      (await people.alice.send('POST', `/repos/${owner}/${repo}/branch_protections`, { rule_name: 'main', ...rule }))
        .status,
    ).toBe(201);
  const report = async ({ people }: ContractServer, { owner, repo }: At, sha: string, body: object) =>
    expect((await people.bob.send('POST', `/repos/${owner}/${repo}/statuses/${sha}`, body)).status).toBe(201);

  on('pulls.merge', 'names the rule that stands in the way, in its own words', async (server) => {
    const at = await freshPull(server);
    const { bob } = server.people;
    const sha = (await bob.api.pulls.get(at)).head?.sha ?? '';
    await protect(server, at, { enable_status_check: true, status_check_contexts: ['ci/*'], required_approvals: 1 });
    await mergeable(server, at);
    const reason = async () => {
      const error = await bob.api.pulls.merge({ ...at, body: { Do: 'merge' } }).catch((caught: unknown) => caught);
      return error instanceof ApiError ? [error.status, error.serverMessage] : error;
    };
    const wrapped = (text: string) => (server.product === 'Gitea' ? text : `not allowed to merge [reason: ${text}]`);
    expect(await reason()).toEqual([405, wrapped('Not all required status checks successful')]);
    await report(server, at, sha, { context: 'ci/a', state: 'warning' });
    expect(await reason()).toEqual([405, wrapped('Not all required status checks successful')]);
    await report(server, at, sha, { context: 'ci/a', state: 'success' });
    expect(await reason()).toEqual([405, wrapped('Does not have enough approvals')]);
    await server.people.alice.api.pulls.submitReview({ ...at, body: { event: 'APPROVED' } });
    expect(await reason()).toBeUndefined();
    expect(await reason()).toEqual([405, server.product === 'Gitea' ? 'The PR is already merged' : '']);
  });

  on('pulls.merge', 'has a schedule of its own that is bound to no head', async (server) => {
    const at = await freshPull(server);
    const { bob } = server.people;
    const path = `/repos/${at.owner}/${at.repo}/pulls/${at.index}/merge`;
    await protect(server, at, { enable_status_check: true, status_check_contexts: ['ci/a'] });
    await mergeable(server, at);
    const body = { Do: 'merge', merge_when_checks_succeed: true, head_commit_id: 'a'.repeat(40) };
    expect((await bob.send('POST', path, body)).status).toBe(201);
    expect(await bob.send('POST', path, body)).toMatchObject({
      status: 409,
      text: expect.stringContaining('already scheduled'),
    });
    expect((await bob.send('DELETE', path)).status).toBe(204);
    expect((await bob.send('DELETE', path)).status).toBe(404);
  });

  on('repos.commitStatus', 'stores any word, and sums up warnings as this product does', async (server) => {
    const at = await freshPull(server);
    const { api } = server.people.bob;
    const sha = (await api.pulls.get(at)).head?.sha ?? '';
    await report(server, at, sha, { context: 'ci/a', state: 'success' });
    await report(server, at, sha, { context: 'ci/b', state: 'bogus' });
    const { items } = await api.repos.commitStatus({ owner: at.owner, repo: at.repo, ref: sha });
    expect(items.map(({ context, status }) => [context, status]).sort()).toEqual([
      ['ci/a', 'success'],
      ['ci/b', 'bogus'],
    ]);
    const { text } = await server.people.bob.send('GET', `/repos/${at.owner}/${at.repo}/commits/${sha}/status`);
    expect(JSON.parse(text)).toMatchObject({ state: server.product === 'Gitea' ? 'pending' : 'success' });
  });

  on('pulls.submitReview', 'publishes the person’s unfinished review along with it', async (server) => {
    const at = await freshPull(server);
    const { bob, carol } = server.people;
    const file = (await bob.api.pulls.listFiles(at)).items[0]?.filename;
    const comments = [{ path: file, new_position: 1, body: 'Not done thinking' }];
    const path = `/repos/${at.owner}/${at.repo}/pulls/${at.index}/reviews`;
    const made = await bob.send('POST', path, { comments, body: 'Later', event: 'PENDING' });
    expect(made, JSON.stringify({ file, made })).toMatchObject({ status: 200 });
    expect((await bob.api.pulls.listReviews(at)).items).toMatchObject([{ state: 'PENDING', comments_count: 1 }]);
    expect((await carol.api.pulls.listReviews(at)).items).toEqual([]);
    await bob.api.pulls.submitReview({ ...at, body: { event: 'APPROVED' } });
    expect((await carol.api.pulls.listReviews(at)).items).toMatchObject([{ state: 'APPROVED', comments_count: 1 }]);
  });
}
