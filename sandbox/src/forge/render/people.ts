import { access, atLeast } from '../state/access.js';
import { findUser } from '../state/find.js';
import { type Team, type User, units } from '../state/people.js';
import type { Repo } from '../state/repo.js';
import { type Json, never, stamp, stranger, type View } from './view.js';

const avatar = (view: View, user: User): string => `${view.state.site.url}/avatars/${user.avatar}`;

function emailFor(view: View, user: User, close: boolean): string {
  if (user.kind === 'Organization') return user.email;
  const hidden = view.viewer === undefined || (user.keepEmailPrivate && !close);
  return hidden ? `${user.id}+${user.login.toLowerCase()}@noreply.localhost` : user.email;
}

export function userJson(view: View, user: User): Json {
  const close = view.viewer !== undefined && (view.viewer === user || view.viewer.admin);
  return {
    id: user.id,
    login: user.login,
    login_name: '',
    source_id: 0,
    full_name: user.fullName,
    email: emailFor(view, user, close),
    avatar_url: avatar(view, user),
    html_url: `${view.state.site.url}/${user.login}`,
    language: '',
    is_admin: close && user.admin,
    last_login: close ? stamp(view, user.lastLogin) : never,
    created: stamp(view, user.created),
    restricted: false,
    active: close && user.active,
    prohibit_login: close && user.prohibitLogin,
    location: '',
    website: '',
    description: user.description,
    ...(view.state.site.flavor === 'document' ? { type: user.kind } : {}),
    visibility: user.visibility,
    followers_count: 0,
    following_count: 0,
    starred_repos_count: [...(view.state.stars.get(user) ?? [])].filter(({ id }) => view.state.repos.has(id)).length,
    username: user.login,
  };
}

export function orgJson(view: View, org: User): Json {
  return {
    id: org.id,
    name: org.login,
    full_name: org.fullName,
    email: org.email,
    avatar_url: avatar(view, org),
    description: org.description,
    website: '',
    location: '',
    visibility: org.visibility,
    repo_admin_change_team_access: false,
    username: org.login,
  };
}

export function teamJson(view: View, team: Team, withOrg: boolean): Json {
  const given = units.filter((unit) => (team.units.get(unit) ?? 'none') !== 'none');
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: withOrg ? orgJson(view, team.org) : null,
    includes_all_repositories: team.allRepos,
    permission: team.permission,
    units: given.map((unit) => `repo.${unit}`),
    units_map: Object.fromEntries(given.map((unit) => [`repo.${unit}`, team.units.get(unit)])),
    can_create_org_repo: team.canCreateRepos,
    visibility: team.visibility,
  };
}

export function emailsJson(users: Iterable<User>): Json[] {
  return [...users]
    .filter((user) => user.kind !== 'Organization' && user.email !== '')
    .flatMap((user) => [
      { email: user.email, verified: true, primary: true, user_id: user.id, username: user.login },
      ...user.moreEmails.map((address) => ({ ...address, primary: false, user_id: user.id, username: user.login })),
    ])
    .sort((a, b) => a.email.localeCompare(b.email));
}

export function permissionJson(view: View, repo: Repo, login: string): Json {
  const user = findUser(view.state, login);
  const level = access(view.state, user, repo, 'code');
  return {
    permission: level,
    role_name: level,
    user: user === undefined ? null : userJson(view, user),
  };
}

export function rightsJson(view: View, repo: Repo): Json {
  const level = access(view.state, view.viewer, repo, 'code');
  return { admin: atLeast(level, 'admin'), push: atLeast(level, 'write'), pull: atLeast(level, 'read') };
}

/** As in a hook's payload and a review: without a particular viewer. */
export const plainUser = (view: View, user: User): Json => userJson(stranger(view), user);
