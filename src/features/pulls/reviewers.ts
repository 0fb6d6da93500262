import type { Context } from '../../chat/context.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, soon } from '../../forge/possible.js';
import { withOpenRequests } from '../../forge/review-requests.js';
import type { PullRequest, PullReview } from '../../forge/schemas.js';
import { didYouMean, nearest } from '../../nearest.js';
import { pullIfKnown, refuseClosed } from './read.js';

export interface Reviewer {
  readonly kind: 'person' | 'team';
  readonly name: string;
}

interface Refused {
  readonly who: Reviewer;
  readonly why: string;
}

/** One request each. Once a request succeeded, no later failure hides it. */
async function askEach(
  all: readonly Reviewer[],
  ask: (some: readonly Reviewer[]) => Promise<readonly PullReview[]>,
): Promise<{ readonly reviews: readonly PullReview[]; readonly refused: readonly Refused[] }> {
  const reviews: PullReview[] = [];
  const refused: Refused[] = [];
  for (const [at, who] of all.entries()) {
    try {
      reviews.push(...(await ask([who])));
    } catch (error) {
      const someoneAsked = refused.length < at;
      if (!(error instanceof ApiError) || !(isAboutNames(error) || someoneAsked)) throw error;
      refused.push({ who, why: whyOf(error) });
    }
  }
  return { reviews, refused };
}

function isAboutNames(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.unsupported && (error.kind === 'notFound' || error.kind === 'invalid');
}

/** The forge's message names everything by its own ids. */
function refuseChooser(ref: ItemRef, error: unknown): void {
  if (!isAboutNames(error) || !/can't choose reviewer/i.test(error.serverMessage)) return;
  throw new UserError(
    `You cannot request reviews on ${refOf(ref)}. Ask its author or someone with write access to ${fullName(ref)}.`,
    { cause: error },
  );
}

const unknown = 'not found on the forge';

/** What the forge's own words mean; they differ between versions. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/not exist|doesn't exist/i, unknown],
  [/organization can't be/i, 'is an organization: name a person or one of its teams'],
  [/can't read/i, 'can’t see this repository'],
  [/poster of pr/i, 'opened this pull request and can’t review it'],
];

function whyOf(error: ApiError): string {
  const known = reasons.find(([pattern]) => pattern.test(error.serverMessage))?.[1];
  if (known !== undefined) return known;
  const said = error.serverMessage.replace(/\s*\[user_id:[^\]]*\]$/u, '');
  if (said !== '') return said;
  switch (error.kind) {
    case 'notFound':
      return unknown;
    case 'forbidden':
      return 'not permitted';
    case 'timeout':
    case 'unavailable':
      return error.neverSent ? 'could not reach the forge' : 'not confirmed: it may have worked anyway';
    default:
      return error.hint || 'refused';
  }
}

export interface RequestedReviewers {
  readonly newly: readonly Reviewer[];
  readonly already: readonly Reviewer[];
  readonly refused: readonly Refused[];
}

export const bodyFor = (all: readonly Reviewer[]) => {
  const people = all.filter(({ kind }) => kind === 'person').map(({ name }) => name);
  const teams = all.filter(({ kind }) => kind === 'team').map(({ name }) => name);
  return { ...(people.length > 0 && { reviewers: people }), ...(teams.length > 0 && { team_reviewers: teams }) };
};

export const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
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
export async function askReviewers(
  ref: ItemRef,
  named: readonly Reviewer[],
  context: Context,
): Promise<RequestedReviewers> {
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
    if (refused.length === others.length) throw await nobody(ref, [...refused, ...authors], context, error);
  }
  const accepted = others.filter((who) => !refused.some((each) => each.who === who));
  const after = accepted.every((who) => isIn(reviews, who)) ? undefined : await soon(asItIs(ref, context));
  const ignored = findIgnored(accepted, reviews, after);
  const all = [...refused, ...authors, ...ignored];
  if (ignored.length === accepted.length) throw await nobody(ref, all, context);
  return { ...sortReviewers(accepted, reviews, before, after), refused: all };
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

async function nobody(ref: ItemRef, refused: readonly Refused[], { api }: Context, cause?: ApiError) {
  const [only, another] = refused;
  if (only?.who.kind === 'team' && !another && only.why === unknown) {
    const teams = (await ifAnswered(api.repos.listTeams(ref)))?.items ?? [];
    const near = nearest(
      only.who.name,
      teams.map(({ name }) => name),
    );
    return new UserError(
      `${ref.owner} has no team named ${only.who.name}.${didYouMean(near) || ' Check the name, or name people.'}`,
      { cause },
    );
  }
  const each = refused.map(({ who, why }) => `• ${who.kind === 'team' ? 'team ' : ''}${who.name}: ${why}`);
  return new UserError(
    `Could not request a review:\n${each.join('\n')}\nCheck the names and their access to the repository.`,
    { cause },
  );
}

function sortReviewers(
  accepted: readonly Reviewer[],
  reviews: readonly PullReview[],
  before: PullRequest | undefined,
  after: PullRequest | undefined,
): Pick<RequestedReviewers, 'newly' | 'already'> {
  // The refused joint request may have requested some before failing; those are new too.
  const isNew = (who: Reviewer) =>
    isIn(reviews, who) || (before !== undefined && !isAskedOf(before, who) && isAskedOf(after, who));
  const counted = accepted.filter((who) => !isLost(who, reviews, after));
  return { newly: counted.filter(isNew), already: counted.filter((who) => !isNew(who)) };
}

/** Teams are silently ignored in a repository without an organization. */
const isLost = (who: Reviewer, reviews: readonly PullReview[], after: PullRequest | undefined) =>
  !isIn(reviews, who) && after !== undefined && !isAskedOf(after, who);

const findIgnored = (
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
