import { credentialOf } from '../../chat/credential.js';
import type { Services } from '../../chat/session.js';
import { splitFullName } from '../../full-name.js';
import type { Person } from '../../store/index.js';
import { lookUp } from '../repositories/lookup.js';
import type { Named } from './titles.js';

export interface Fitness {
  readonly fit: boolean;
  /** Undefined if no forge account is linked. */
  readonly login?: string;
}

/** A subscription's owner must be linked and see its target. */
export async function fitness(
  { sub, name }: Pick<Named, 'sub' | 'name'>,
  person: Person,
  services: Pick<Services, 'forge' | 'store' | 'log'>,
): Promise<Fitness> {
  const { forge, store } = services;
  const account = await store.accounts.get(person);
  const credential = account?.state === 'active' ? await credentialOf(services, person) : undefined;
  if (!account || !credential) return { fit: false };
  const { login } = account;
  if (sub.target.kind !== 'repo') return { fit: true, login };
  const { owner, repo } = splitFullName(name);
  const seen = await lookUp({ owner, name: repo }, forge.as(credential));
  return { fit: seen?.id === sub.target.id, login };
}
