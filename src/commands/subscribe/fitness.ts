import { splitFullName } from '../../forge/full-name.js';
import type { Forge } from '../../forge/index.js';
import type { Person, Store } from '../../store/index.js';
import { lookUp } from '../repo/lookup.js';
import type { Named } from './shown.js';

export interface Fitness {
  readonly fit: boolean;
  /** Undefined where no forge account is linked. */
  readonly login?: string;
}

/** Whoever answers for a subscription must be linked and see what is followed. */
export async function fitness(
  { sub, name }: Pick<Named, 'sub' | 'name'>,
  person: Person,
  { forge, store }: { readonly forge: Pick<Forge, 'as'>; readonly store: Store },
): Promise<Fitness> {
  const account = await store.accounts.get(person);
  const credential = account?.state === 'active' ? await store.accounts.credential(person) : undefined;
  if (!account || !credential) return { fit: false };
  const { login } = account;
  if (sub.target.kind !== 'repo') return { fit: true, login };
  const { owner, repo } = splitFullName(name);
  const seen = await lookUp({ owner, name: repo }, forge.as(credential));
  return { fit: seen?.id === sub.target.id, login };
}
