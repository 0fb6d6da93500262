import type { Api } from '../forge/index.js';
import type { Person } from '../store/index.js';
import { credentialOf } from './credential.js';
import { askToRelink } from './linking.js';
import type { Services } from './session.js';

export type AsPerson = (person: Person) => Promise<Api | undefined>;

/** The forge as a linked person sees it; undefined if they are no longer linked. They are asked once about a dead credential. */
export async function asPerson(services: Services, person: Person): Promise<Api | undefined> {
  const { store, forge } = services;
  const account = await store.accounts.get(person);
  if (account?.state !== 'active') return undefined;
  const credential = await credentialOf(services, person);
  const after = ({ kind }: { readonly kind: string | undefined }) => {
    if (kind === 'unauthorized') void askToRelink(services, account);
  };
  return credential && forge.as(credential, { after: (_name, result) => after(result) });
}
