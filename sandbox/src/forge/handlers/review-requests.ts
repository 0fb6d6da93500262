import { requestReview } from '../acts/reviews.js';
import { forbidden, invalid, notFound } from '../http/answer.js';
import type { Body } from '../http/body.js';
import { canSee, mayChooseReviewers } from '../state/access.js';
import { findByLoginOrEmail, findTeam } from '../state/find.js';
import type { Team, User } from '../state/people.js';
import type { Issue, Pull, Review } from '../state/repo.js';
import type { State } from '../state/state.js';

function mustBeAskable(state: State, issue: Issue, user: User): void {
  const where = `[user_id: ${user.id}, repo_id: ${issue.repo.id}]`;
  if (user.kind === 'Organization') throw invalid(`Organization can't be added as reviewer ${where}`);
  if (user === issue.poster) throw invalid(`poster of pr can't be reviewer ${where}`);
  if (!canSee(state, user, issue.repo)) throw invalid(`Reviewer can't read ${where}`);
}

function find<T>(names: readonly string[], look: (name: string) => T | undefined, kind: string): T[] {
  return names.map((name) => {
    const found = look(name);
    if (found === undefined) throw notFound(`${kind} doesn't exist: ${name}`);
    return found;
  });
}

/** All names are looked up before anything is written; then one by one, so earlier ones survive a later failure. */
export function requestReviewers(state: State, actor: User, issue: Issue, pull: Pull, body: Body): Review[] {
  const { repo } = issue;
  const users = find(body.texts('reviewers') ?? [], (name) => findByLoginOrEmail(state, name), 'user');
  const inOrg = repo.owner.kind === 'Organization';
  const teamNames = inOrg ? (body.texts('team_reviewers') ?? []) : [];
  const teams: Team[] = find(teamNames, (name) => findTeam(state, repo.owner, name), 'team');
  if (issue.state === 'closed') throw forbidden('pull request is closed');
  if (!mayChooseReviewers(state, actor, repo, issue.poster) || repo.archivedAt !== undefined) {
    throw invalid(`Doer can't choose reviewer [user_id: ${actor.id}, repo_id: ${repo.id}, issue_id: ${issue.id}]`);
  }
  const made: Review[] = [];
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
