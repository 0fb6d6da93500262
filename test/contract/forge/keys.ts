import { expect } from 'vitest';
import { createForge } from '../../../src/forge/index.js';
import type { On } from './suite.js';
import { all, expectFailure, expectPages, fresh, freshRepo, sshKey } from './things.js';

export function keys(on: On): void {
  on('keys.addDeploy', 'adds a key that may only read', async (server) => {
    const { alice } = server.people;
    const at = await freshRepo(server);
    const added = await alice.api.keys.addDeploy({ ...at, body: { title: 'deploy', key: sshKey(), read_only: true } });
    expect(added).toMatchObject({ title: 'deploy', read_only: true, fingerprint: expect.stringMatching(/^SHA256:/) });
    const { items } = await alice.api.keys.listDeploy(at);
    expect(items.map(({ id }) => id)).toEqual([added.id]);
  });

  on('keys.addDeploy', 'refuses a key twice, a broken key, and people who are not admins there', async (server) => {
    const { alice, carol } = server.people;
    const at = await freshRepo(server);
    const body = { title: 'deploy', key: sshKey() };
    await alice.api.keys.addDeploy({ ...at, body });
    await expectFailure(alice.api.keys.addDeploy({ ...at, body: { ...body, title: 'again' } }), 'invalid');
    await expectFailure(alice.api.keys.addDeploy({ ...at, body: { title: 'bad', key: 'garbage' } }), 'invalid');
    await expectFailure(carol.api.keys.addDeploy({ ...at, body: { title: 'mine', key: sshKey() } }), 'forbidden');
    const repo = fresh('nosuch');
    await expectFailure(alice.api.keys.addDeploy({ ...at, repo, body: { title: 'x', key: sshKey() } }), 'notFound');
  });

  on('keys.listDeploy', 'finds by fingerprint, and comes in pages', async (server) => {
    const { alice } = server.people;
    const at = await freshRepo(server);
    const one = await alice.api.keys.addDeploy({ ...at, body: { title: 'one', key: sshKey() } });
    const two = await alice.api.keys.addDeploy({ ...at, body: { title: 'two', key: sshKey() } });
    const byFingerprint = await alice.api.keys.listDeploy({ ...at, query: { fingerprint: one.fingerprint } });
    expect(byFingerprint.items.map(({ id }) => id)).toEqual([one.id]);
    const byKey = await alice.api.keys.listDeploy({ ...at, query: { key_id: two.key_id } });
    expect(byKey.items.map(({ id }) => id)).toEqual([two.id]);
    await expectPages(
      (query) => alice.api.keys.listDeploy({ ...at, query }),
      ({ id }) => id,
    );
  });

  on('keys.listDeploy', 'is for admins of a repository that exists', async (server) => {
    const at = await freshRepo(server);
    await expectFailure(server.people.carol.api.keys.listDeploy(at), 'forbidden');
    await expectFailure(server.people.alice.api.keys.listDeploy({ ...at, repo: fresh('nosuch') }), 'notFound');
  });

  on('keys.addMine', 'adds a key, once', async ({ people: { bob } }) => {
    const body = { title: 'laptop', key: sshKey() };
    const added = await bob.api.keys.addMine({ body });
    expect(added).toMatchObject({ title: 'laptop', user: { login: bob.login } });
    expect(added.key).toContain(body.key);
    await expectFailure(bob.api.keys.addMine({ body }), 'invalid');
    await expectFailure(bob.api.keys.addMine({ body: { title: 'bad', key: 'garbage' } }), 'invalid');
  });

  on('keys.listMine', 'shows what was added, only to its owner', async ({ people: { bob, carol } }) => {
    const added = await bob.api.keys.addMine({ body: { title: fresh('key'), key: sshKey() } });
    const mine = await all(bob.api.keys.listMine.each());
    expect(mine.find(({ id }) => id === added.id)).toMatchObject({ fingerprint: added.fingerprint });
    expect((await all(carol.api.keys.listMine.each())).map(({ id }) => id)).not.toContain(added.id);
  });

  on('keys.addMine', 'refuses a wrong credential', async ({ url, people: { bob } }) => {
    const forge = createForge({ url });
    const stranger = forge.as({ kind: 'basic', login: bob.login, secret: 'wrong' });
    await expectFailure(stranger.keys.addMine({ body: { title: 'x', key: sshKey() } }), 'unauthorized');
    await forge.close();
  });
}
