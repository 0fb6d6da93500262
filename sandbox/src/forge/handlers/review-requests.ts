import { requestReview, withdrawRequest } from '../acts/reviews.js';
import { invalid, notFound, Refusal } from '../http/answer.js';
import type { Body } from '../http/body.js';
import { canSee, mayChooseReviewers } from '../state/access.js';
import { findByLoginOrEmail, findTeam } from '../state/find.js';
import type { Team, User } from '../state/people.js';
import type { Issue, Pull, Review } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';

function mustBeAskable(state: State, issue: Issue, user: User): void {
  const where = `[user_id: ${user.id}, repo_id: ${issue.repo.id}]`;
  if (user.kind === 'Organization') throw invalid(`Organization can't be added as reviewer ${where}`);
  if (user === issue.poster) throw invalid(`poster of pr can't be reviewer ${where}`);
  if (!canSee(state, user, issue.repo)) throw invalid(`Reviewer can't read ${where}`);
}

type Unknown = (kind: 'user' | 'team', name: string) => string;

const unknownIn =
  ({ site }: State): Unknown =>
  (kind, name) =>
    site.flavor === 'gitea-1.26'
      ? `${kind === 'user' ? 'User' : 'Team'} '${name}' not exist`
      : `${kind} doesn't exist: ${name}`;

function find<T>(
  names: readonly string[],
  look: (name: string) => T | undefined,
  kind: 'user' | 'team',
  unknown: Unknown,
): T[] {
  return names.map((name) => {
    const found = look(name);
    if (found === undefined) throw notFound(unknown(kind, name));
    return found;
  });
}

interface Named {
  readonly users: readonly User[];
  readonly teams: readonly Team[];
}

/** All names are looked up before anything is written. */
function namedIn(state: State, actor: User, { repo, poster, id }: Issue, body: Body, verb: 'choose' | 'remove'): Named {
  const unknown = unknownIn(state);
  const users = find(body.texts('reviewers') ?? [], (name) => findByLoginOrEmail(state, name), 'user', unknown);
  const inOrg = repo.owner.kind === 'Organization';
  const teamNames = inOrg ? (body.texts('team_reviewers') ?? []) : [];
  const teams: Team[] = find(teamNames, (name) => findTeam(state, repo.owner, name), 'team', unknown);
  if (!mayChooseReviewers(state, actor, repo, poster) || repo.archivedAt !== undefined) {
    throw invalid(`Doer can't ${verb} reviewer [user_id: ${actor.id}, repo_id: ${repo.id}, issue_id: ${id}]`);
  }
  // its handler panics
  const isTeamAlone = users.length === 0 && teams.length > 0;
  if (isTeamAlone && isForgejo(state.site, 15) && actor !== poster && !repo.collaborators.has(actor))
    throw new Refusal(500, 'Internal Server Error', { kind: 'page' });
  return { users, teams };
}

export function withdrawRequests(state: State, actor: User, issue: Issue, pull: Pull, body: Body): void {
  const { users, teams } = namedIn(state, actor, issue, body, 'remove');
  for (const user of users) withdrawRequest(state, actor, issue, pull, { user });
  for (const team of teams) withdrawRequest(state, actor, issue, pull, { team });
}

/** One by one, so earlier ones survive a later failure. */
export function requestReviewers(state: State, actor: User, issue: Issue, pull: Pull, body: Body): Review[] {
  const { users, teams } = namedIn(state, actor, issue, body, 'choose');
  const made: Review[] = [];
  if (isForgejo(state.site)) for (const user of users) mustBeAskable(state, issue, user);
  for (const user of users) {
    mustBeAskable(state, issue, user);
    collect(made, requestReview(state, actor, issue, pull, { user }));
  }
  for (const team of teams) collect(made, requestReview(state, actor, issue, pull, { team }));
  return made;
}

/** Someone already requested is not in the answer. */
function collect(made: Review[], review: Review | undefined): void {
  if (review !== undefined) made.push(review);
}
