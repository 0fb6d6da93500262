import { forbidden, notFound, ok } from '../http/answer.js';
import type { Call, Handlers } from '../http/call.js';
import { versionOf } from '../http/flavor.js';
import { signedIn } from '../http/guard.js';
import { list } from '../http/paging.js';
import { labelUnder } from '../render/issues.js';
import { orgJson, teamJson, userJson } from '../render/people.js';
import { packageJson } from '../render/records.js';
import { repoJson } from '../render/repos.js';
import { canSee, isMember, ownerShown } from '../state/access.js';
import { findUser, teamsOf } from '../state/find.js';
import type { User } from '../state/people.js';
import { isForgejo } from '../state/site.js';

export const server = {
  version: ({ state }) => ok({ version: versionOf(state.site) }),
  settings: ({ state }) =>
    ok({
      max_response_items: state.site.pageMax,
      default_paging_num: Math.min(30, state.site.pageMax),
      default_git_trees_per_page: 1000,
      default_max_blob_size: 10_485_760,
      ...(isForgejo(state.site) ? {} : { default_max_response_size: 104_857_600 }),
    }),
} satisfies Handlers['server'];

export const packages = {
  get: ({ state, params, view }) => {
    const owner = findUser(state, params.owner);
    if (owner === undefined) throw notFound();
    const found = state.packages.find(
      (each) =>
        each.owner === owner &&
        each.type === params.type &&
        each.name === params.name &&
        each.version === params.version,
    );
    if (found === undefined) throw notFound('GetVersionByNameAndVersion: package does not exist');
    return ok(packageJson(view, found));
  },
} satisfies Handlers['packages'];

function orgAt({ state, caller }: Pick<Call, 'state' | 'caller'>, name: string): User {
  const org = findUser(state, name);
  if (org?.kind !== 'Organization' || !ownerShown(state, caller.user, org)) throw notFound();
  return org;
}

export const orgs = {
  mine: (call) => {
    const me = signedIn(call);
    const mine = [...call.state.users.values()].filter(
      (org) => org.kind === 'Organization' && isMember(call.state, me, org),
    );
    return list(call, mine, (org) => orgJson(call.view, org));
  },

  listTeams: (call) => {
    const me = signedIn(call);
    const org = orgAt(call, call.params.org);
    if (isForgejo(call.state.site) && !me.admin && !isMember(call.state, me, org)) {
      throw forbidden('Must be an organization member');
    }
    const visible = teamsOf(call.state, org).filter(
      (team) => me.admin || isMember(call.state, me, org) || team.visibility === 'public',
    );
    return list(call, visible, (team) => teamJson(call.view, team, false));
  },

  /** Outsiders see no team, whatever its visibility, and only its members and the owners see who is in it. */
  listTeamMembers: (call) => {
    const me = signedIn(call);
    const team = call.state.teams.get(call.params.id);
    if (!team || (!me.admin && !isMember(call.state, me, team.org))) throw notFound();
    const isOwner = teamsOf(call.state, team.org).some((each) => each.permission === 'owner' && each.members.has(me));
    if (!me.admin && !isOwner && !team.members.has(me)) throw forbidden('Must be a team member');
    return list(call, [...team.members], (user) => userJson(call.view, user));
  },

  listLabels: (call) => {
    const org = orgAt(call, call.params.org);
    return list(call, org.labels, (label) => labelUnder(call.view, `orgs/${org.login}`, label));
  },

  listRepos: (call) => {
    const org = orgAt(call, call.params.org);
    const visible = [...call.state.repos.values()].filter(
      (repo) => repo.owner === org && canSee(call.state, call.caller.user, repo),
    );
    return list(call, visible, (repo) => repoJson(call.view, repo));
  },
} satisfies Handlers['orgs'];
