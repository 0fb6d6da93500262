import { expect } from 'vitest';
import type { On } from './suite.js';
import { all, expectFailure, expectPages, fresh, freshRepo } from './things.js';

export function repos(on: On): void {
  on('repos.createInOrg', 'creates a repository', async ({ people: { alice }, org }) => {
    const name = fresh('repo');
    const body = { name, description: 'the web', private: true, auto_init: true, default_branch: 'trunk' };
    const made = await alice.api.repos.createInOrg({ org, body });
    expect(made).toMatchObject({ full_name: `${org}/${name}`, private: true, owner: { login: org } });
    expect(await alice.api.repos.get({ owner: org, repo: name })).toMatchObject({
      description: 'the web',
      default_branch: 'trunk',
      empty: false,
    });
  });

  on('repos.createInOrg', 'refuses a name that is taken or wrong', async (server) => {
    const { alice } = server.people;
    const { owner: org, repo: name } = await freshRepo(server);
    await expectFailure(alice.api.repos.createInOrg({ org, body: { name } }), 'exists');
    expect((await alice.send('POST', `/orgs/${org}/repos`, { name: 'bad name!' })).status).toBe(422);
  });

  on('repos.createInOrg', 'refuses strangers and unknown organizations', async ({ people: { alice, dave }, org }) => {
    await expectFailure(dave.api.repos.createInOrg({ org, body: { name: fresh('repo') } }), 'forbidden');
    await expectFailure(alice.api.repos.createInOrg({ org: fresh('nobody'), body: { name: 'x' } }), 'notFound');
  });

  on('repos.migrate', 'imports a repository', async (server) => {
    const { alice } = server.people;
    const source = await freshRepo(server);
    const name = fresh('copy');
    const clone_addr = `${server.url}/${source.owner}/${source.repo}.git`;
    const body = { clone_addr, repo_name: name, repo_owner: server.org, service: 'git' as const };
    expect(await alice.api.repos.migrate({ body })).toMatchObject({ full_name: `${server.org}/${name}` });
    const copy = await alice.api.repos.get({ owner: server.org, repo: name });
    expect(copy).toMatchObject({ empty: false, original_url: clone_addr });
    await expectFailure(alice.api.repos.migrate({ body }), 'exists');
  });

  on('repos.migrate', 'refuses wrong addresses and strangers', async (server) => {
    const { alice, dave } = server.people;
    const at = await freshRepo(server);
    const clone_addr = `${server.url}/${at.owner}/${at.repo}.git`;
    const body = { clone_addr: 'not a url', repo_name: fresh('copy'), repo_owner: server.org };
    await expectFailure(alice.api.repos.migrate({ body }), 'invalid');
    expect((await alice.send('POST', '/repos/migrate', { repo_name: 'x' })).status).toBe(422);
    await expectFailure(dave.api.repos.migrate({ body: { ...body, clone_addr } }), 'forbidden');
  });

  on('repos.search', 'finds by name, and hides what is private', async (server) => {
    const { alice, dave } = server.people;
    const { repo } = await freshRepo(server, { private: true });
    expect((await alice.api.repos.search({ query: { q: repo } })).items.map(({ name }) => name)).toEqual([repo]);
    expect((await dave.api.repos.search({ query: { q: repo } })).items).toEqual([]);
    expect((await alice.api.repos.search({ query: { q: repo, is_private: false } })).items).toEqual([]);
  });

  on('repos.search', 'sorts, and comes in pages', async (server) => {
    await freshRepo(server);
    const newest = await freshRepo(server);
    const { alice } = server.people;
    const sorted = await alice.api.repos.search({ query: { sort: 'id', order: 'desc', limit: 1 } });
    expect(sorted.items[0]?.name).toBe(newest.repo);
    await expectPages(
      (query) => alice.api.repos.search({ query }),
      ({ id }) => id,
    );
    expect((await alice.send('GET', '/repos/search?mode=zzz')).status).toBe(422);
  });

  on('repos.listWatched', 'shows what a person watches, in pages', async (server) => {
    const { bob } = server.people;
    const [one, two] = [await freshRepo(server), await freshRepo(server)];
    await server.ground.watch(one, 'bob');
    await server.ground.watch(two, 'bob');
    const watched = await all(bob.api.repos.listWatched.each({ username: bob.login }));
    expect(watched.map(({ name }) => name)).toEqual(expect.arrayContaining([one.repo, two.repo]));
    await expectPages(
      (query) => bob.api.repos.listWatched({ username: bob.login, query }),
      ({ id }) => id,
    );
    await expectFailure(bob.api.repos.listWatched({ username: fresh('nobody') }), 'notFound');
  });

  on('repos.listCommits', 'shows commits of a branch, in pages', async (server) => {
    const { carol } = server.people;
    const at = await freshRepo(server);
    await server.ground.branch(at, 'feature');
    const main = await carol.api.repos.listCommits({
      ...at,
      query: { stat: false, verification: false, files: false },
    });
    const feature = await carol.api.repos.listCommits({ ...at, query: { sha: 'feature' } });
    expect(main.items).toHaveLength(1);
    expect(feature.items).toHaveLength(2);
    expect(feature.items[0]).toMatchObject({ commit: { message: expect.stringContaining('add feature.txt') } });
    const only = await carol.api.repos.listCommits({ ...at, query: { sha: 'feature', not: 'main' } });
    expect(only.items.map(({ sha }) => sha)).toEqual([feature.items[0]?.sha]);
    await expectPages(
      (query) => carol.api.repos.listCommits({ ...at, query: { sha: 'feature', ...query } }),
      ({ sha }) => sha,
    );
  });

  on('repos.listCommits', 'distinguishes an empty repository from an unknown branch', async (server) => {
    const { carol } = server.people;
    const [empty, at] = [await freshRepo(server, { empty: true }), await freshRepo(server)];
    await expectFailure(carol.api.repos.listCommits(empty), 'empty');
    await expectFailure(carol.api.repos.listCommits({ ...at, query: { sha: 'nosuch' } }), 'notFound');
    await expectFailure(carol.api.repos.listCommits({ ...at, repo: fresh('nosuch') }), 'notFound');
  });
}
