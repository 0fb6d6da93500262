import type { House } from '../chat/session.js';
import type { Api } from '../forge/index.js';
import type { Person } from '../store/index.js';

/** The forge as a linked person sees it; undefined when the link is gone. */
export async function asPerson({ store, forge }: House, person: Person): Promise<Api | undefined> {
  const account = await store.accounts.get(person);
  if (account?.state !== 'active') return undefined;
  const credential = await store.accounts.credential(person);
  return credential && forge.as(credential);
}
