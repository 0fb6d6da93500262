import type { Team, User } from './people.js';
import type { Issue, Repo } from './repo.js';
import type { State } from './state.js';

export function findUser(state: State, login: string): User | undefined {
  const wanted = login.toLowerCase();
  for (const user of state.users.values()) {
    if (user.login.toLowerCase() === wanted) return user;
  }
  return undefined;
}

/** Reviewers may be named by email address too. */
export function findByLoginOrEmail(state: State, name: string): User | undefined {
  const byLogin = findUser(state, name);
  if (byLogin !== undefined) return byLogin;
  const wanted = name.toLowerCase();
  return [...state.users.values()].find(
    (user) =>
      user.email.toLowerCase() === wanted || user.moreEmails.some((address) => address.email.toLowerCase() === wanted),
  );
}

export function findFormerUser(state: State, login: string): User | undefined {
  const wanted = login.toLowerCase();
  return [...state.users.values()].find((user) => user.formerLogins.includes(wanted));
}

export function findRepo(state: State, owner: string, name: string): Repo | undefined {
  const wanted = `${owner}/${name}`.toLowerCase();
  const isWanted = (repo: Repo) => `${repo.owner.login}/${repo.name}`.toLowerCase() === wanted;
  const known = state.repoNames.get(wanted);
  if (known && state.repos.has(known.id) && isWanted(known)) return known;
  for (const repo of state.repos.values()) {
    if (!isWanted(repo)) continue;
    state.repoNames.set(wanted, repo);
    return repo;
  }
  return undefined;
}

export function findFormerRepo(state: State, owner: string, name: string): Repo | undefined {
  const wanted = `${owner}/${name}`.toLowerCase();
  return [...state.repos.values()].find((repo) => repo.formerNames.has(wanted));
}

export function findTeam(state: State, org: User, name: string): Team | undefined {
  const wanted = name.toLowerCase();
  return [...state.teams.values()].find((team) => team.org === org && team.name.toLowerCase() === wanted);
}

export const teamsOf = (state: State, org: User): Team[] =>
  [...state.teams.values()].filter((team) => team.org === org);

/** Issues blocked by this one. */
export const blockedBy = (state: State, issue: Issue): Issue[] =>
  [...state.issues.values()].filter((other) => other.dependencies.has(issue));

/** For the world's verbs: throws if a test names someone who does not exist. */
export function person(state: State, login: string): User {
  const user = findUser(state, login);
  if (user === undefined) throw new Error(`The sandbox forge has no user ${login}.`);
  return user;
}

export function repository(state: State, name: string): Repo {
  const [owner = '', repo = ''] = name.split('/');
  const found = findRepo(state, owner, repo);
  if (found === undefined) throw new Error(`The sandbox forge has no repository ${name}.`);
  return found;
}

export function issueOf(state: State, name: string, index: number): Issue {
  const issue = repository(state, name).issues.get(index);
  if (issue === undefined) throw new Error(`The sandbox forge has no ${name}#${index}.`);
  return issue;
}
