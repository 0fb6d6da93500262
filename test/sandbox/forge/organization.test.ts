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
