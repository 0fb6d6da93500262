import { splitFullName } from '../full-name.js';
import { type Store, type Subscription, subscriptionId } from '../store/index.js';
import type { Audience } from './delivery.js';
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

/** The subscriptions that a repository's news goes to now. */
export async function followersOf(
  { subscriptions }: Pick<Store, 'subscriptions'>,
  { id, ownerId, fullName }: { readonly id: number; readonly ownerId: number; readonly fullName: string },
): Promise<Subscription[]> {
  return (await subscriptions.candidates(id, ownerId)).filter((sub) => !sub.paused && covers(sub, fullName));
}

/** For something about a pull request. `hidden` if not known: the gate reads it when it is sent. */
export const audienceOf = (
  { id, fullName, hidden = true }: Omit<Audience['repo'], 'hidden'> & { readonly hidden?: boolean },
  sub: Subscription,
): Audience => ({ repo: { id, fullName, hidden }, subscription: subscriptionId(sub), units: ['pulls'] });
