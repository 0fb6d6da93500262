import { expect } from 'vitest';
import type { On } from './suite.js';
import { eventually, expectFailure, expectPages, fresh, freshIssue, freshRepo } from './things.js';

export function issues(on: On): void {
  on('issues.edit', 'changes title, body, assignees and the due day', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const body = { title: 'Edited', body: 'new text', assignees: [bob.login], due_date: '2031-12-01T00:00:00Z' };
    expect(await carol.api.issues.edit({ ...at, body })).toMatchObject({ number: at.index, title: 'Edited' });
    const read = await carol.api.issues.get(at);
    expect(read).toMatchObject({ title: 'Edited', body: 'new text', assignees: [{ login: bob.login }] });
    expect(read.due_date?.toISOString().slice(0, 10)).toBe('2031-12-01');
    await carol.api.issues.edit({ ...at, body: { assignees: [], unset_due_date: true } });
    expect(await carol.api.issues.get(at)).toMatchObject({ assignees: [], due_date: undefined });
  });

  on('issues.edit', 'closes and reopens, sets and clears the milestone', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const at = await freshIssue(server, repo);
    const milestone = await server.ground.milestone(repo, 'v1');
    await carol.api.issues.edit({ ...at, body: { state: 'closed', milestone } });
    expect(await carol.api.issues.get(at)).toMatchObject({ state: 'closed', milestone: { id: milestone } });
    await carol.api.issues.edit({ ...at, body: { state: 'open', milestone: 0 } });
    expect(await carol.api.issues.get(at)).toMatchObject({ state: 'open', milestone: undefined, closed_at: undefined });
  });

  on('issues.edit', 'refuses an older version of the text, and changes nothing', async (server) => {
    const { carol } = server.people;
    const at = await freshIssue(server, await freshRepo(server), 'first');
    const { content_version = 0 } = await carol.api.issues.get(at);
    await carol.api.issues.edit({ ...at, body: { body: 'second', content_version } });
    // Forgejo has no content versions: the last writer wins, so a change is checked for before writing.
    if (server.product === 'Forgejo') {
      return expect((await carol.api.issues.get(at)).content_version).toBeUndefined();
    }
    await expectFailure(carol.api.issues.edit({ ...at, body: { body: 'third', content_version } }), 'conflict');
    expect(await carol.api.issues.get(at)).toMatchObject({ body: 'second' });
  });

  on('issues.edit', 'does not close what depends on an open issue', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const [waits, blocker] = [await freshIssue(server, repo), await freshIssue(server, repo)];
    await carol.api.issues.block({ ...blocker, body: waits });
    await expectFailure(carol.api.issues.edit({ ...waits, body: { state: 'closed' } }), 'blocked');
  });

  on('issues.edit', 'refuses strangers, missing issues and unknown people', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    await expectFailure(dave.api.issues.edit({ ...at, body: { state: 'closed' } }), 'forbidden');
    await expectFailure(carol.api.issues.edit({ ...at, index: 999, body: { state: 'closed' } }), 'notFound');
    await expectFailure(carol.api.issues.edit({ ...at, body: { assignees: [fresh('nobody')] } }), 'rejected');
    const bogus = await carol.send('PATCH', `/repos/${at.owner}/${at.repo}/issues/${at.index}`, { state: 'bogus' });
    expect(bogus.status).toBe(server.product === 'Forgejo' ? 201 : 412);
  });

  on('issues.addTime', 'records time, and removes it', async (server) => {
    const { carol } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const spent = await carol.api.issues.addTime({ ...at, body: { time: 3600 } });
    expect(spent).toMatchObject({ time: 3600, user_name: carol.login, issue: { number: at.index } });
    expect(await carol.api.issues.addTime({ ...at, body: { time: -5 } })).toMatchObject({ time: -5 });
  });

  on('issues.listTimes', 'lists what was recorded, at the time it was written', async (server) => {
    const { carol } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const created = '2026-01-05T12:00:00Z';
    const past = await carol.api.issues.addTime({ ...at, body: { time: 90, created } });
    const recent = await carol.api.issues.addTime({ ...at, body: { time: 60 } });
    const { items } = await carol.api.issues.listTimes(at);
    expect(items.map(({ id }) => id).sort()).toEqual([past.id, recent.id].sort());
    const kept = items.find(({ id }) => id === past.id);
    expect(kept).toMatchObject({ time: 90 });
    expect(past.created).toEqual(new Date(created));
    expect(kept?.created?.getTime()).toBeGreaterThan(past.created?.getTime() ?? 0);
  });

  on('issues.addTime', 'refuses zero, strangers and missing issues', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const path = `/repos/${at.owner}/${at.repo}/issues/${at.index}/times`;
    expect((await carol.send('POST', path, { time: 0 })).status).toBe(422);
    await expectFailure(dave.api.issues.addTime({ ...at, body: { time: 60 } }), 'forbidden');
    await expectFailure(carol.api.issues.addTime({ ...at, index: 999, body: { time: 60 } }), 'notFound');
  });

  on('issues.comment', 'adds a comment', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const made = await bob.api.issues.comment({ ...at, body: { body: 'hello <!channel>' } });
    expect(made).toMatchObject({ body: 'hello <!channel>', user: { login: bob.login } });
    const { items } = await carol.api.issues.listComments(at);
    expect(items.map(({ id }) => id)).toEqual([made.id]);
    expect(await carol.api.issues.get(at)).toMatchObject({ comments: 1 });
  });

  on('issues.comment', 'refuses an empty text, missing issues, hidden and archived repositories', async (server) => {
    const { carol, dave } = server.people;
    const at = await freshIssue(server, await freshRepo(server, { private: true }));
    const path = `/repos/${at.owner}/${at.repo}/issues/${at.index}/comments`;
    expect((await carol.send('POST', path, { body: '' })).status).toBe(422);
    const missing = server.product === 'Forgejo' ? 'notFound' : 'rejected';
    await expectFailure(carol.api.issues.comment({ ...at, index: 999, body: { body: 'x' } }), missing);
    await expectFailure(dave.api.issues.comment({ ...at, body: { body: 'x' } }), 'notFound');
    await server.ground.archive(at);
    await expectFailure(carol.api.issues.comment({ ...at, body: { body: 'x' } }), 'archived');
  });

  on('issues.search', 'finds by words, kind and person', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const { title } = await carol.api.issues.edit({ ...at, body: { assignees: [bob.login] } });
    await eventually(async () => {
      const { items } = await bob.api.issues.search({ query: { q: title, type: 'issues', assigned: true } });
      expect(items).toMatchObject([{ number: at.index, repository: { name: at.repo } }]);
    });
    expect((await bob.api.issues.search({ query: { q: title, type: 'pulls' } })).items).toEqual([]);
    expect((await bob.api.issues.search({ query: { q: title, state: 'closed' } })).items).toEqual([]);
  });

  on('issues.search', 'comes in pages', async (server) => {
    const repo = await freshRepo(server);
    await freshIssue(server, repo);
    await freshIssue(server, repo);
    await expectPages(
      (query) => server.people.carol.api.issues.search({ query: { owner: server.org, ...query } }),
      ({ id }) => id,
    );
  });

  on('issues.search', 'refuses unknown owners and invalid times', async ({ people: { bob } }) => {
    await expectFailure(bob.api.issues.search({ query: { owner: fresh('nobody') } }), 'invalid');
    await expectFailure(bob.api.issues.search({ query: { team: 'core' } }), 'invalid');
    expect((await bob.send('GET', '/repos/issues/search?since=garbage')).status).toBe(422);
  });
}
