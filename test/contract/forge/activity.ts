import { expect } from 'vitest';
import type { On } from './suite.js';
import { all, eventually, expectFailure, expectPages, fresh, freshIssue, freshRepo } from './things.js';

export function activity(on: On): void {
  on('activity.repoFeed', 'lists activity, newest first', async (server) => {
    const { carol, bob } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    const comment = await bob.api.issues.comment({ ...at, body: { body: 'hello' } });
    await carol.api.issues.edit({ ...at, body: { state: 'closed' } });
    await eventually(async () => {
      const { items } = await carol.api.activity.repoFeed({ ...at, query: { limit: 50 } });
      const row = (kind: string) => items.find(({ op_type }) => op_type === kind);
      expect(row('create_repo')).toMatchObject({ content: '', repo: { name: at.repo } });
      expect(row('create_issue')).toMatchObject({
        content: expect.stringMatching(`^${at.index}\\|Issue-`),
        act_user: { login: carol.login },
      });
      expect(row('comment_issue')).toMatchObject({ comment_id: comment.id, comment: { body: 'hello' } });
      expect(row('close_issue')).toMatchObject({ content: `${at.index}|` });
      const times = items.map(({ created }) => created.getTime());
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    });
  });

  on('activity.repoFeed', 'lists a new branch in two rows', async (server) => {
    const at = await freshRepo(server);
    await server.ground.branch(at, 'feature');
    await eventually(async () => {
      const { items } = await server.people.carol.api.activity.repoFeed(at);
      const pushes = items.filter(({ ref_name }) => ref_name === 'refs/heads/feature');
      expect(pushes.map(({ op_type }) => op_type)).toEqual(['commit_repo', 'commit_repo']);
      expect(pushes.map(({ content }) => content === '').sort()).toEqual([false, true]);
    });
  });

  on('activity.repoFeed', 'comes in pages, by day, and not for unknown repositories', async (server) => {
    const { carol } = server.people;
    const at = await freshIssue(server, await freshRepo(server));
    await expectPages(
      (query) => carol.api.activity.repoFeed({ ...at, query }),
      ({ id }) => id,
    );
    expect((await carol.api.activity.repoFeed({ ...at, query: { date: '2020-01-01' } })).items).toEqual([]);
    await expectFailure(carol.api.activity.repoFeed({ ...at, repo: fresh('nosuch') }), 'notFound');
  });

  on('activity.userFeed', 'lists a person’s activity, in pages', async (server) => {
    const { carol } = server.people;
    const repo = await freshRepo(server);
    const at = await freshIssue(server, repo);
    await freshIssue(server, repo);
    const me = { username: carol.login };
    await eventually(async () => {
      const items = await all(carol.api.activity.userFeed.each({ ...me, query: { 'only-performed-by': true } }));
      expect(new Set(items.map(({ act_user }) => act_user?.login))).toEqual(new Set([carol.login]));
      const rows = items.filter((row) => row.repo?.name === at.repo);
      expect(rows.map(({ op_type }) => op_type)).toContain('create_issue');
    });
    await expectPages(
      (query) => carol.api.activity.userFeed({ ...me, query }),
      ({ id }) => id,
    );
    expect((await carol.api.activity.userFeed({ ...me, query: { date: '2020-01-01' } })).items).toEqual([]);
  });

  on('activity.userFeed', 'knows no such person', async ({ people: { carol } }) => {
    await expectFailure(carol.api.activity.userFeed({ username: fresh('nobody') }), 'notFound');
  });
}
