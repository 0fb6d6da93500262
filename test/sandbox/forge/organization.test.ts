import { describe, expect, it } from 'vitest';
import { ask, forges, rows } from './ask.js';

const start = forges();

describe('the seeded organization', () => {
  it('is the same at the same time', async () => {
    const clock = () => 1_800_000_000_000;
    const [one, two] = [
      await start({ clock, rootUrl: 'http://forge' }),
      await start({ clock, rootUrl: 'http://forge' }),
    ];
    const read = async (forge: typeof one) =>
      (await ask(forge, 'ada', 'GET /users/acme/activities/feeds?limit=50')).answer;
    expect(await read(one)).toEqual(await read(two));
  });

  it('has work in every state', async () => {
    const forge = await start();
    const total = async (query: string) =>
      Number((await ask(forge, 'ada', `GET /repos/issues/search?${query}`)).headers['x-total-count']);
    expect(await total('state=all&type=issues')).toBe(15);
    expect(await total('state=open&type=pulls')).toBe(4);
    expect(await total('state=closed&type=pulls')).toBe(1);
    expect(rows(await ask(forge, 'grace', 'GET /notifications')).length).toBeGreaterThan(3);
  });

  it('answers questions about oneself', async () => {
    const forge = await start();
    const titles = async (login: string, query: string) =>
      rows(await ask(forge, login, `GET /repos/issues/search?${query}`)).map((issue) => issue['title']);
    expect(await titles('grace', 'assigned=true&type=issues')).toEqual([
      'Count the spare keys',
      'Alarm 1202 under load',
    ]);
    expect(await titles('grace', 'review_requested=true')).toEqual(['Dark mode']);
    expect(await titles('margaret', 'reviewed=true&state=open')).toContain('Dark mode');
    expect(await titles('linus', 'mentioned=true')).toEqual(['Build fails on my machine']);
    expect(await titles('linus', 'labels=urgent,nothing')).toEqual(['Alarm 1202 under load']);
    expect(await titles('linus', 'q=signing')).toEqual([]);
    expect(await titles('ada', 'q=signing')).toEqual(['Rotate the signing keys']);
  });

  it('finds repositories by what they are', async () => {
    const forge = await start();
    const names = async (login: string, query: string) =>
      ((await ask(forge, login, `GET /repos/search?${query}`)).answer as { data: { name: string }[] }).data.map(
        ({ name }) => name,
      );
    expect(await names('linus', '')).toEqual(['engine', 'notes', 'website']);
    expect(await names('ada', 'is_private=true')).toEqual(['vault']);
    expect(await names('ada', 'sort=id&order=desc&q=e')).toEqual(['notes', 'website', 'engine']);
    expect(await names('ada', 'q=analytical')).toEqual([]);
    expect(await names('ada', 'q=analytical&includeDesc=true')).toEqual(['engine']);
    expect((await ask(forge, 'ada', 'GET /repos/search?mode=zzz')).status).toBe(422);
  });

  it.each(['gitea-1.26', 'gitea-1.28', 'forgejo-11', 'forgejo-15'] as const)(
    'asks code owners as %s does',
    async (flavor) => {
      const forge = await start({ flavor });
      const repo = 'acme/engine';
      const isForgejo = flavor.startsWith('forgejo');
      const text = 'src/.* @margaret @grace\n/src/.* @ada\nsrc @linus\n!src/.* @acme/core';
      forge.world.plantFile({
        repo,
        path: flavor === 'forgejo-15' ? '.forgejo/CODEOWNERS' : '.gitea/CODEOWNERS',
        text,
      });
      const push = (branch: string, file: string) =>
        forge.world.push({ as: 'grace', repo, branch, commits: [{ message: 'Change', files: [file] }] });
      const asked = async (index: number) => {
        const pull = (await ask(forge, 'grace', `GET /repos/${repo}/pulls/${index}`)).answer as Record<
          string,
          { login?: string; name?: string }[]
        >;
        return [...(pull['requested_reviewers'] ?? []), ...(pull['requested_reviewers_teams'] ?? [])].map(
          (each) => each.login ?? each.name,
        );
      };
      push('owned', 'src/owned.go');
      const { index } = forge.world.openPull({ as: 'grace', repo, title: 'Owned', head: 'owned' });
      expect(await asked(index)).toEqual(isForgejo ? ['margaret'] : ['margaret', 'ada']);
      push('owned', 'README');
      expect(await asked(index)).toEqual(isForgejo ? ['margaret'] : ['margaret', 'ada', 'core']);
      push('draft', 'src/draft.go');
      const draft = forge.world.openPull({ as: 'grace', repo, title: 'WIP: Draft', head: 'draft' });
      expect(await asked(draft.index)).toEqual([]);
      await ask(forge, 'grace', `PATCH /repos/${repo}/pulls/${draft.index}`, { title: 'Ready' });
      expect(await asked(draft.index)).toContain('margaret');
      const files = rows(await ask(forge, 'grace', `GET /repos/${repo}/pulls/${index}/files`));
      expect(files).toContainEqual(expect.objectContaining({ filename: 'src/owned.go', status: 'added', changes: 3 }));
    },
  );

  it('shows a team to its members and owners, and reviewers to everyone on Forgejo', async () => {
    for (const flavor of ['gitea-1.26', 'forgejo-15'] as const) {
      const forge = await start({ flavor });
      const teams = rows(await ask(forge, 'ada', 'GET /orgs/acme/teams'));
      const core = teams.find(({ name }) => name === 'core')?.['id'];
      const status = async (login: string) => (await ask(forge, login, `GET /teams/${core}/members`)).status;
      expect([await status('ada'), await status('grace'), await status('margaret'), await status('linus')]).toEqual([
        200, 200, 403, 404,
      ]);
      const reviewers = await ask(forge, 'linus', 'GET /repos/acme/engine/reviewers');
      expect(reviewers.status).toBe(flavor === 'forgejo-15' ? 200 : 403);
    }
  });

  it('notifies listeners when something changes', async () => {
    const forge = await start();
    const seen: string[] = [];
    const stop = forge.onChange(({ what, repo }) => seen.push(`${what} ${repo}`));
    forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'x' });
    stop();
    forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'y' });
    expect(new Set(seen)).toEqual(new Set(['issue acme/engine', 'feed acme/engine', 'notification acme/engine']));
  });

  it('imports as slowly as requested', async () => {
    const forge = await start();
    forge.world.slowMigrations(30);
    const before = performance.now();
    const body = {
      clone_addr: 'https://example.org/a.git',
      repo_name: 'copy',
      repo_owner: 'acme',
      auth_token: 'secret',
    };
    expect((await ask(forge, 'ada', 'POST /repos/migrate', body)).status).toBe(201);
    expect(performance.now() - before).toBeGreaterThanOrEqual(29);
    expect((await ask(forge, 'ada', 'POST /repos/migrate', body)).status).toBe(409);
  });
});
