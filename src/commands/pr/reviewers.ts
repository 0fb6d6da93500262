import type { Context } from '../../chat/context.js';
import type { ItemRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import type { PullReview } from '../../forge/schemas/review.js';
import { possible } from '../possible.js';

export interface Reviewer {
  readonly kind: 'person' | 'team';
  readonly name: string;
}

interface Refused {
  readonly who: Reviewer;
  readonly why: string;
}

export interface Asked {
  readonly newly: readonly Reviewer[];
  readonly already: readonly Reviewer[];
  readonly refused: readonly Refused[];
}

export const bodyFor = (all: readonly Reviewer[]) => {
  const people = all.filter(({ kind }) => kind === 'person').map(({ name }) => name);
  const teams = all.filter(({ kind }) => kind === 'team').map(({ name }) => name);
  return { ...(people.length > 0 && { reviewers: people }), ...(teams.length > 0 && { team_reviewers: teams }) };
};

const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
const isIn = (reviews: readonly PullReview[], { kind, name }: Reviewer) =>
  reviews.some(({ user, team }) => same(kind === 'person' ? user?.login : team?.name, name));
const isAskedOf = (pull: PullRequest | undefined, { kind, name }: Reviewer) =>
  kind === 'person'
    ? (pull?.requested_reviewers ?? []).some(({ login }) => same(login, name))
    : (pull?.requested_reviewers_teams ?? []).some((team) => same(team.name, name));

/** All at once; where the forge refuses one of them, each alone, so that everybody's outcome is known. */
export async function askReviewers(ref: ItemRef, all: readonly Reviewer[], { api }: Context): Promise<Asked> {
  const before = await possible(api.pulls.get(ref));
  const ask = (some: readonly Reviewer[]) => api.pulls.requestReviewers({ ...ref, body: bodyFor(some) });
  let reviews: readonly PullReview[] = [];
  const refused: Refused[] = [];
  try {
    reviews = await ask(all);
  } catch (error) {
    if (!isAboutNames(error)) throw error;
    for (const who of all) {
      try {
        reviews = [...reviews, ...(await ask([who]))];
      } catch (alone) {
        if (!isAboutNames(alone)) throw alone;
        refused.push({ who, why: whyOf(alone) });
      }
    }
    if (refused.length === all.length) throw nobody(refused, error);
  }
  const accepted = all.filter((who) => !refused.some((each) => each.who === who));
  const after = accepted.every((who) => isIn(reviews, who)) ? undefined : await possible(api.pulls.get(ref));
  return { ...sorted(accepted, reviews, before, after), refused: [...refused, ...ignored(accepted, reviews, after)] };
}

function nobody(refused: readonly Refused[], cause: ApiError): UserError {
  const each = refused.map(({ who, why }) => `• ${who.kind === 'team' ? 'team ' : ''}${who.name}: ${why}`);
  return new UserError(
    `Nobody was asked:\n${each.join('\n')}\nCheck the names, and that each may read the repository.`,
    { cause },
  );
}

function sorted(
  accepted: readonly Reviewer[],
  reviews: readonly PullReview[],
  before: PullRequest | undefined,
  after: PullRequest | undefined,
): Pick<Asked, 'newly' | 'already'> {
  // A refused joint request may have asked some of them before it failed: they were not asked before that.
  const isNew = (who: Reviewer) =>
    isIn(reviews, who) || (before !== undefined && !isAskedOf(before, who) && isAskedOf(after, who));
  const counted = accepted.filter((who) => !isLost(who, reviews, after));
  return { newly: counted.filter(isNew), already: counted.filter((who) => !isNew(who)) };
}

/** Teams of a repository without an organisation are passed over in silence. */
const isLost = (who: Reviewer, reviews: readonly PullReview[], after: PullRequest | undefined) =>
  !isIn(reviews, who) && after !== undefined && !isAskedOf(after, who);

const ignored = (
  accepted: readonly Reviewer[],
  reviews: readonly PullReview[],
  after: PullRequest | undefined,
): Refused[] =>
  accepted
    .filter((who) => isLost(who, reviews, after))
    .map((who) => ({
      who,
      why: who.kind === 'team' ? 'only an organisation’s repository has teams' : 'the forge passed over it',
    }));

function isAboutNames(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.unsupported && (error.kind === 'notFound' || error.kind === 'invalid');
}

const whyOf = (error: ApiError) =>
  error.serverMessage || (error.kind === 'notFound' ? 'not known to the forge' : error.hint || 'refused');
