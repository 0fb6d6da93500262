import type { CallOptions } from './engine.js';
import { ApiError } from './errors.js';
import type { Api } from './index.js';
import { gather } from './pages.js';
import type { PullRequest, PullReview } from './schemas.js';

interface At {
  readonly owner: string;
  readonly repo: string;
}

/** The parts of the client this needs. */
interface Reads {
  readonly pulls: {
    readonly listReviews: {
      each(input: At & { readonly index: number }, options: CallOptions & { max: number }): AsyncIterable<PullReview>;
    };
  };
}

type Open = Pick<PullRequest, 'requested_reviewers' | 'requested_reviewers_teams'>;

/** The oldest come first, so fewer would miss the newest. */
export const mostReviews = 500;

export const readReviews = (
  api: Reads,
  at: At & { readonly index: number },
  options: CallOptions = {},
): Promise<PullReview[]> => gather(api.pulls.listReviews.each(at, { ...options, max: mostReviews }));

/** Whose review is still requested: their last entry is a request that was not withdrawn. */
export function openRequests(reviews: readonly PullReview[]): Open {
  const last = new Map<string, PullReview>();
  for (const review of reviews) {
    const who = review.team ? `team ${review.team.id}` : `user ${review.user?.id}`;
    const before = last.get(who);
    if (review.state !== 'PENDING' && (!before || before.id < review.id)) last.set(who, review);
  }
  const open = [...last.values()].filter(({ state, dismissed }) => state === 'REQUEST_REVIEW' && !dismissed);
  return {
    requested_reviewers: open.flatMap(({ user, team }) => (user && !team ? [user] : [])),
    requested_reviewers_teams: open.flatMap(({ team }) => team ?? []),
  };
}

/** The server's own list also has everyone who ever reviewed; nobody is missing, so an empty one is trusted. */
export async function withOpenRequests(
  api: Reads,
  { owner, repo }: At,
  pull: PullRequest,
  options: CallOptions = {},
): Promise<PullRequest> {
  if (pull.requested_reviewers.length + pull.requested_reviewers_teams.length === 0) return pull;
  try {
    const input = { owner, repo, index: pull.number };
    return { ...pull, ...openRequests(await readReviews(api, input, options)) };
  } catch (error) {
    if (error instanceof ApiError) return pull;
    throw error;
  }
}

const mostTeams = 200;
const mostMembers = 500;

/** Forge users in the team `org/name`, as this account sees it; undefined if it cannot see such a team. */
export async function teamMembers(
  { orgs }: Pick<Api, 'orgs'>,
  team: string,
): Promise<readonly { readonly id: number; readonly login: string }[] | undefined> {
  const [org = '', name = ''] = team.toLowerCase().split('/');
  const teams = await gather(orgs.listTeams.each({ org }, { max: mostTeams }));
  const found = teams.find((each) => each.name.toLowerCase() === name);
  return found && gather(orgs.listTeamMembers.each({ id: found.id }, { max: mostMembers }));
}
