import { teamsOf } from './find.js';
import { type Level, levels, type Team, type Unit, type User, units } from './people.js';
import type { Repo } from './repo.js';
import type { State } from './state.js';

const rank = (level: Level): number => levels.indexOf(level);
const higher = (a: Level, b: Level): Level => (rank(a) >= rank(b) ? a : b);

export const atLeast = (level: Level, wanted: Level): boolean => rank(level) >= rank(wanted);

const reaches = (team: Team, repo: Repo): boolean => team.allRepos || team.repos.has(repo.id);

function teamLevel(team: Team, unit: Unit): Level {
  if (atLeast(team.permission, 'admin')) return team.permission;
  return team.units.get(unit) ?? 'none';
}

/** A limited owner is visible to everyone signed in, a private one to its members. */
export function ownerShown(state: State, user: User | undefined, owner: User): boolean {
  if (owner.visibility === 'public') return true;
  if (user === undefined) return false;
  return owner.visibility === 'limited' || user.admin || user === owner || isMember(state, user, owner);
}

/** A person's access to one unit of a repository; the site admin counts as its admin. */
export function access(state: State, user: User | undefined, repo: Repo, unit: Unit): Level {
  const open: Level = repo.private || !ownerShown(state, user, repo.owner) ? 'none' : 'read';
  if (user === undefined) return open;
  if (repo.owner === user) return 'owner';
  if (user.admin) return 'admin';
  let level = higher(open, repo.collaborators.get(user) ?? 'none');
  for (const team of teamsOf(state, repo.owner)) {
    if (team.members.has(user) && reaches(team, repo)) level = higher(level, teamLevel(team, unit));
  }
  return level;
}

/** The best of all units: decides whether the repository is visible at all. */
const bestAccess = (state: State, user: User | undefined, repo: Repo): Level =>
  units.reduce<Level>((best, unit) => higher(best, access(state, user, repo, unit)), 'none');

export const canSee = (state: State, user: User | undefined, repo: Repo): boolean =>
  bestAccess(state, user, repo) !== 'none';

export const ownsOrg = (state: State, user: User, org: User): boolean =>
  teamsOf(state, org).some((team) => team.permission === 'owner' && team.members.has(user));

export const isMember = (state: State, user: User, org: User): boolean =>
  teamsOf(state, org).some((team) => team.members.has(user));

/** Being site admin is not enough to choose reviewers: author, owner, collaborator or team member. */
export function mayChooseReviewers(state: State, user: User, repo: Repo, author: User): boolean {
  if (user === author || repo.owner === user || repo.collaborators.has(user)) return true;
  return teamsOf(state, repo.owner).some(
    (team) => team.members.has(user) && reaches(team, repo) && atLeast(teamLevel(team, 'pulls'), 'read'),
  );
}

/** People who may be assigned or requested: all with more than public access, and the owner. */
export function insiders(state: State, repo: Repo): User[] {
  return [...state.users.values()].filter(
    (user) =>
      user.kind !== 'Organization' &&
      (repo.owner === user ||
        repo.collaborators.has(user) ||
        teamsOf(state, repo.owner).some((team) => team.members.has(user) && reaches(team, repo))),
  );
}

export const teamsWithAccess = (state: State, repo: Repo): Team[] =>
  teamsOf(state, repo.owner).filter((team) => reaches(team, repo));
