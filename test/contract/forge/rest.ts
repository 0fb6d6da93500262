import { expect } from 'vitest';
import { createForge } from '../../../src/forge/index.js';
import { send } from './server.js';
import type { On } from './suite.js';
import { all, expectFailure, fresh, freshRepo } from './things.js';

export function rest(on: On): void {
  on('packages.get', 'shows a package', async ({ people: { alice }, org, ground }) => {
    const name = fresh('tool');
    await ground.package(org, name, '1.0');
    const at = { owner: org, type: 'generic', name, version: '1.0' };
    expect(await alice.api.packages.get(at)).toMatchObject({
      name,
      type: 'generic',
      version: '1.0',
      owner: { login: org },
    });
    await expectFailure(alice.api.packages.get({ ...at, version: '9.9' }), 'notFound');
  });

  on('server.version', 'names the release', async ({ people: { dave }, version }) => {
    expect(await dave.api.server.version()).toEqual({ version });
  });

  on('server.settings', 'returns the page sizes', async ({ people: { dave } }) => {
    const { max_response_items = 0, default_paging_num = 0 } = await dave.api.server.settings();
    expect(max_response_items).toBeGreaterThanOrEqual(default_paging_num);
  });

  on('users.me', 'says who the caller is', async ({ people: { alice, root } }) => {
    expect(await alice.api.users.me()).toMatchObject({ login: alice.login, is_admin: false });
    expect(await root.api.users.me()).toMatchObject({ is_admin: true });
  });

  on('users.get', 'shows a person', async ({ people: { alice, bob } }) => {
    expect(await alice.api.users.get({ username: bob.login })).toMatchObject({ login: bob.login });
    await expectFailure(alice.api.users.get({ username: fresh('nobody') }), 'notFound');
  });

  on('users.search', 'finds a person', async ({ people: { alice, bob } }) => {
    const { items } = await alice.api.users.search({ query: { q: bob.login } });
    expect(items.map(({ login }) => login)).toEqual([bob.login]);
  });

  on('users.createToken', 'creates a token that works, only for oneself', async ({ url, people: { alice, bob } }) => {
    const body = { name: fresh('token'), scopes: ['read:user'] };
    const made = await (alice.byPassword ?? alice.api).users.createToken({ username: alice.login, body });
    expect(made).toMatchObject(body);
    const forge = createForge({ url });
    const api = forge.as({ kind: 'token', token: made.sha1 });
    expect(await api.users.me()).toMatchObject({ login: alice.login });
    await expectFailure(api.notifications.countNew(), 'forbidden');
    await forge.close();
    const other = (bob.byPassword ?? bob.api).users.createToken({ username: alice.login, body });
    await expectFailure(other, 'forbidden');
  });

  on('users.createToken', 'takes a token as the password, and in no other form', async ({ url, people: { alice } }) => {
    if (alice.credential.kind !== 'token') throw new Error('the suite signs people in with tokens');
    const body = { name: fresh('token'), scopes: ['read:user'] };
    const answer = await send(url, `token ${alice.credential.token}`, 'POST', `/users/${alice.login}/tokens`, body);
    expect(answer.status).toBe(401);
  });

  on('users.createOAuthApp', 'registers an application that people can sign in with', async ({ people: { alice } }) => {
    const body = { name: fresh('program'), redirect_uris: ['https://bellows.example/oauth/callback'] };
    const made = await alice.api.users.createOAuthApp({ body: { ...body, confidential_client: true } });
    expect(made.client_id).not.toBe('');
    expect(made.client_secret).not.toBe('');
  });

  on('users.currentToken', 'returns the scopes of the current token', async ({ people: { alice } }) => {
    expect(await alice.api.users.currentToken()).toMatchObject({ scopes: ['all'], user: { login: alice.login } });
  });

  on('orgs.mine', 'lists the caller’s organizations', async ({ people: { alice, dave }, org }) => {
    expect((await alice.api.orgs.mine()).items.map(({ name }) => name)).toContain(org);
    expect((await dave.api.orgs.mine()).items.map(({ name }) => name)).not.toContain(org);
  });

  on('orgs.listTeams', 'lists teams', async ({ people: { alice }, org }) => {
    const { items } = await alice.api.orgs.listTeams({ org });
    expect(items.map(({ name }) => name).sort()).toEqual(expect.arrayContaining(['Owners', 'core']));
  });

  on('orgs.listTeamMembers', 'lists a team’s members, to members only', async ({ people, org }) => {
    const { alice, bob, carol, dave } = people;
    const core = (await alice.api.orgs.listTeams({ org })).items.find(({ name }) => name === 'core');
    const { items } = await alice.api.orgs.listTeamMembers({ id: core?.id ?? 0 });
    expect(items.map(({ login }) => login).sort()).toEqual([bob.login, carol.login].sort());
    await expectFailure(dave.api.orgs.listTeamMembers({ id: core?.id ?? 0 }), 'notFound');
  });

  on(
    'orgs.listLabels',
    'lists the labels all repositories of the organization share',
    async ({ people: { alice }, org }) => {
      expect(Array.isArray((await alice.api.orgs.listLabels({ org })).items)).toBe(true);
      await expect(alice.api.orgs.listLabels({ org: 'no-such-org' })).rejects.toMatchObject({ kind: 'notFound' });
    },
  );

  on('orgs.listRepos', 'lists repositories', async (server) => {
    const { repo } = await freshRepo(server);
    const repos = await all(server.people.alice.api.orgs.listRepos.each({ org: server.org }));
    expect(repos.map(({ name }) => name)).toContain(repo);
  });
}
