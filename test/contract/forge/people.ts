import { z } from 'zod';
import type { Credential, Forge } from '../../../src/forge/index.js';
import { authorization, type Person, type Role, send } from './server.js';
import { fresh } from './things.js';

const scopes = ['all'];
const units = {
  code: 'write',
  issues: 'write',
  pulls: 'write',
  actions: 'write',
  projects: 'write',
  releases: 'write',
};

export function personOf(forge: Forge, url: string, login: string, credential: Credential): Person {
  const auth = authorization(credential);
  return {
    login,
    credential,
    api: forge.as(credential),
    send: (method, path, body) => send(url, auth, method, path, body),
  };
}

/** Fresh accounts for one test run, and an organization owned by alice. */
export async function givePeople(forge: Forge, url: string, root: Person) {
  const make = async (word: string) => {
    const login = fresh(word);
    const password = fresh('secret');
    const account = { username: login, email: `${login}@example.org`, password, must_change_password: false };
    await ok(root.send('POST', '/admin/users', account));
    const basic: Credential = { kind: 'basic', login, secret: password };
    const token = await forge.as(basic).users.createToken({ username: login, body: { name: fresh('token'), scopes } });
    return { ...personOf(forge, url, login, { kind: 'token', token: token.sha1 }), byPassword: forge.as(basic) };
  };
  const alice = await make('alice');
  const bob = await make('bob');
  const carol = await make('carol');
  const dave = await make('dave');

  const org = fresh('acme');
  await ok(alice.send('POST', '/orgs', { username: org, visibility: 'public' }));
  const map = Object.fromEntries(Object.entries(units).map(([unit, right]) => [`repo.${unit}`, right]));
  const team = { name: 'core', permission: 'write', units_map: map, includes_all_repositories: true };
  const { id } = z.object({ id: z.int() }).parse(await ok(alice.send('POST', `/orgs/${org}/teams`, team)));
  for (const member of [bob, carol]) await ok(alice.send('PUT', `/teams/${id}/members/${member.login}`));
  return { org, people: { root, alice, bob, carol, dave } satisfies Record<Role, Person> };
}

async function ok(answer: ReturnType<Person['send']>): Promise<unknown> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`preparing failed with ${status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
