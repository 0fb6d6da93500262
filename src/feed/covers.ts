import { splitFullName } from '../full-name.js';
import { Filter } from './filter.js';
import { matches } from './glob.js';

interface Followed {
  readonly target: { readonly kind: 'repo' | 'owner' | 'user'; readonly pattern?: string };
  readonly filter: unknown;
}

/** The pattern that excludes a repository, as typed; case-insensitive. */
export const leftOutBy = ({ except }: Filter, fullName: string): string | undefined =>
  except?.find((glob) => matches(glob.toLowerCase(), fullName.toLowerCase()));

/** Whether a subscription to an owner's repositories includes this one. */
export function covers({ target, filter }: Followed, fullName: string): boolean {
  if (target.kind !== 'owner') return true;
  const { repo: name } = splitFullName(fullName);
  const read = Filter.safeParse(filter).data;
  return matches(target.pattern ?? '', name) && (read === undefined || leftOutBy(read, fullName) === undefined);
}
