import type { Context } from '../../chat/context.js';
import type { ItemRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import { withOpenRequests } from '../../forge/review-requests.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import type { PullReview } from '../../forge/schemas/review.js';
import { askEach, isAboutNames, type Refused, type Reviewer, refuseChooser } from './ask-each.js';
import { pullIfKnown, refuseClosed } from './read.js';

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

/** Its state before any request; closed ones take no reviewers. */
export async function askable(ref: ItemRef, context: Context): Promise<PullRequest | undefined> {
  const pull = await pullIfKnown(ref, context);
  refuseClosed(ref, pull, 'it cannot be reviewed');
  return pull && withOpenRequests(context.api, ref, pull);
}

export async function asItIs(ref: ItemRef, context: Context): Promise<PullRequest | undefined> {
  const pull = await pullIfKnown(ref, context);
  return pull && withOpenRequests(context.api, ref, pull);
}

/** All at once; if the forge refuses one, each separately, so that every outcome is known. */
export async function askReviewers(ref: ItemRef, named: readonly Reviewer[], context: Context): Promise<Asked> {
  const { api } = context;
  const before = await askable(ref, context);
  const { others, authors } = withoutAuthor(named, before);
  const ask = (some: readonly Reviewer[]) => api.pulls.requestReviewers({ ...ref, body: bodyFor(some) });
  let reviews: readonly PullReview[] = [];
  let refused: readonly Refused[] = [];
  try {
    reviews = await ask(others);
  } catch (error) {
    refuseChooser(ref, error);
    refuseTeamsAlone(others, error);
    if (!isAboutNames(error)) throw error;
    ({ reviews, refused } = await askEach(others, ask));
    if (refused.length === others.length) throw nobody([...refused, ...authors], error);
  }
  const accepted = others.filter((who) => !refused.some((each) => each.who === who));
  const after = accepted.every((who) => isIn(reviews, who)) ? undefined : await soon(asItIs(ref, context));
  return {
    ...sorted(accepted, reviews, before, after),
    refused: [...refused, ...authors, ...ignored(accepted, reviews, after)],
  };
}

/** Forgejo 15 fails and asks nobody unless a person is named too, or the author asks. */
function refuseTeamsAlone(asked: readonly Reviewer[], error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 500 || asked.some(({ kind }) => kind === 'person')) return;
  const words =
    'The forge failed to request a team on its own. Name a person along with the team, or ask the author to request it.';
  throw new UserError(words, { cause: error });
}

/** Nobody reviews their own pull request; the forge would refuse the others along with them. */
function withoutAuthor(named: readonly Reviewer[], pull: PullRequest | undefined) {
  const isAuthor = ({ kind, name }: Reviewer) => kind === 'person' && same(pull?.user?.login, name);
  const others = named.filter((who) => !isAuthor(who));
  const authors = named.filter(isAuthor).map((who) => ({ who, why: 'opened this pull request and can’t review it' }));
  if (others.length > 0) return { others, authors };
  throw new UserError(`${pull?.user?.login} ${authors[0]?.why}. Request someone else.`, { field: 'people' });
}

function nobody(refused: readonly Refused[], cause: ApiError): UserError {
  const each = refused.map(({ who, why }) => `• ${who.kind === 'team' ? 'team ' : ''}${who.name}: ${why}`);
  return new UserError(
    `Could not request a review:\n${each.join('\n')}\nCheck the names and their access to the repository.`,
    { cause },
  );
}

function sorted(
  accepted: readonly Reviewer[],
  reviews: readonly PullReview[],
  before: PullRequest | undefined,
  after: PullRequest | undefined,
): Pick<Asked, 'newly' | 'already'> {
  // The refused joint request may have requested some before failing; those are new too.
  const isNew = (who: Reviewer) =>
    isIn(reviews, who) || (before !== undefined && !isAskedOf(before, who) && isAskedOf(after, who));
  const counted = accepted.filter((who) => !isLost(who, reviews, after));
  return { newly: counted.filter(isNew), already: counted.filter((who) => !isNew(who)) };
}

/** Teams are silently ignored in a repository without an organization. */
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
      why: who.kind === 'team' ? 'only organization repositories have teams' : 'the forge ignored it',
    }));
