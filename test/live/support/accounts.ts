import type { Person } from '../../contract/forge/server.js';
import { fresh } from '../../contract/forge/things.js';

/** A personal token, as people paste it into the sign-in form. */
export async function tokenOf(person: Person): Promise<string> {
  if (person.credential.kind === 'token') return person.credential.token;
  const body = { name: fresh('bellows'), scopes: ['all'] };
  return (await person.api.users.createToken({ username: person.login, body })).sha1;
}
