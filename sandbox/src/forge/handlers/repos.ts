import { setTimeout as sleep } from 'node:timers/promises';
import { resolve, rootEntries } from '../acts/commits.js';
import { deleteBranch } from '../acts/refs.js';
import { createRepo, deleteRepo, importRepo } from '../acts/repos.js';
import { addStatus } from '../acts/statuses.js';
import { created, forbidden, invalid, notFound, nothing, ok, refuse } from '../http/answer.js';
import type { Handlers } from '../http/call.js';
import { may, mustAdminister, mustWrite, notArchived, repoOf, signedIn, userAt } from '../http/guard.js';
import { list, slice } from '../http/paging.js';
import { branchJson, combinedStatusJson, latestStatuses, protectionJson } from '../render/commits.js';
import { labelJson, milestoneJson } from '../render/issues.js';
import { permissionJson, plainUser, teamJson, userJson } from '../render/people.js';
import { releaseJson, repoJson } from '../render/repos.js';
import { canSee, insiders, isMember, mayChooseReviewers, ownsOrg, teamsWithAccess } from '../state/access.js';
import { findRepo, findUser, teamsOf } from '../state/find.js';
import type { User } from '../state/people.js';
import type { Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { listCommits } from './commits.js';
import { listTemplates, readFile, readIssueConfig } from './contents.js';
import { searchRepos } from './repo-search.js';

const reserved = new Set(['.', '..', '-']);

function mustBeName(field: string, name: string): void {
  if (!/^[A-Za-z0-9._-]+$/.test(name)) throw invalid(`[${field}]: AlphaDashDot`);
  if (name.length > 100) throw invalid(`[${field}]: MaxSize`);
  if (reserved.has(name) || /\.(git|wiki|rss|atom)$/.test(name)) throw invalid(`name is reserved [name: ${name}]`);
}

function mustBeFree(state: State, owner: User, name: string): void {
  if (findRepo(state, owner.login, name) !== undefined) {
    throw refuse(409, 'The repository with the same name already exists.');
  }
}

const mayCreateIn = (state: State, user: User, owner: User): boolean =>
  user.admin ||
  user === owner ||
  ownsOrg(state, user, owner) ||
  teamsOf(state, owner).some((team) => team.canCreateRepos && team.members.has(user));

const rightsOf = (call: Parameters<typeof may>[0], repo: Repo) => ({
  canWrite: may(call, repo, 'code', 'write'),
  isAdmin: may(call, repo, 'code', 'admin'),
});

export const repos = {
  createInOrg: (call) => {
    const { state, view } = call;
    const user = signedIn(call);
    const body = call.body();
    const name = body.requiredText('name');
    mustBeName('Name', name);
    const org = findUser(state, call.params.org);
    if (org?.kind !== 'Organization') throw notFound();
    if (!mayCreateIn(state, user, org)) {
      throw forbidden('User is not allowed to create repositories in this organization.');
    }
    body.oneOf('object_format_name', ['sha1', 'sha256']);
    body.oneOf('trust_model', ['default', 'collaborator', 'committer', 'collaboratorcommitter']);
    const readme = body.text('readme') ?? '';
    if (readme !== '' && readme !== 'Default') throw refuse(400, `readme template ${readme} does not exist`);
    mustBeFree(state, org, name);
    const repo = createRepo(state, user, org, {
      name,
      description: body.text('description') ?? '',
      private: body.flag('private') ?? false,
      template: body.flag('template') ?? false,
      autoInit: body.flag('auto_init') ?? false,
      defaultBranch: body.text('default_branch') ?? 'main',
    });
    return created(repoJson(view, repo));
  },

  migrate: async (call) => {
    const { state, view } = call;
    const user = signedIn(call);
    const body = call.body();
    const address = body.requiredText('clone_addr');
    const name = body.requiredText('repo_name');
    mustBeName('RepoName', name);
    const ownerName = body.text('repo_owner') ?? '';
    const owner = ownerName === '' ? user : findUser(state, ownerName);
    if (owner === undefined) throw invalid(`user does not exist [uid: 0, name: ${ownerName}]`);
    if (owner.kind === 'Organization' && !user.admin && !ownsOrg(state, user, owner)) {
      throw forbidden('Given user is not owner of organization.');
    }
    if (owner.kind !== 'Organization' && owner !== user && !user.admin) throw forbidden('Given user is not you.');
    if (!/^(https?|git):\/\//.test(address)) throw invalid('You are not allowed to import local repositories.');
    mustBeFree(state, owner, name);
    // Synchronous: the call takes as long as the import.
    if (state.site.migrationMs > 0) await sleep(state.site.migrationMs);
    const wanted = {
      name,
      description: body.text('description') ?? '',
      private: body.flag('private') ?? false,
      mirror: body.flag('mirror') ?? false,
      originalUrl: address,
    };
    const { hostname } = new URL(address);
    if (hostname.endsWith('.invalid')) {
      // what was made before the clone failed stays
      createRepo(state, user, owner, wanted);
      throw invalid(`Migration failed: Could not resolve host: ${hostname}.`);
    }
    return created(repoJson(view, importRepo(state, user, owner, wanted)));
  },

  search: (call) => searchRepos(call),

  listWatched: (call) => {
    const me = signedIn(call);
    const user = userAt(call, call.params.username);
    const watched = [...call.state.repos.values()].filter(
      (repo) => repo.watchers.has(user) && (!repo.private || user === me) && canSee(call.state, me, repo),
    );
    return list(call, watched, (repo) => repoJson(call.view, repo));
  },

  listCommits: (call) => listCommits(call, repoOf(call)),

  get: (call) => ok(repoJson(call.view, repoOf(call))),

  delete: (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    if (!may(call, repo, 'code', 'admin'))
      throw forbidden('user should be an owner or a collaborator with admin write of a repository');
    deleteRepo(call.state, user, repo);
    return { status: 204 };
  },

  mine: (call) => {
    const me = signedIn(call);
    const mine = [...call.state.repos.values()].filter(
      (repo) => repo.owner === me || repo.collaborators.has(me) || isMember(call.state, me, repo.owner),
    );
    const visible = mine.filter((repo) => canSee(call.state, me, repo));
    return list(call, visible, (repo) => repoJson(call.view, repo));
  },

  getRelease: (call) => {
    const repo = repoOf(call);
    const release = repo.releases.get(call.params.tag);
    if (release === undefined) throw notFound();
    return ok(releaseJson(call.view, repo, release));
  },

  listReleases: (call) => {
    const repo = repoOf(call);
    return list(call, [...repo.releases.values()].reverse(), (release) => releaseJson(call.view, repo, release));
  },

  listBranches: (call) => {
    const repo = repoOf(call);
    const q = (call.query.text('q') ?? '').toLowerCase();
    const found = [...repo.branches].flatMap(([name, sha]) => {
      const commit = repo.commits.get(sha);
      return commit === undefined || !name.toLowerCase().includes(q) ? [] : [{ name, commit }];
    });
    const page = list(call, found, ({ name, commit }) =>
      branchJson(call.view, repo, name, commit, rightsOf(call, repo)),
    );
    return found.length === 0 && isForgejo(call.state.site) ? { ...page, body: null } : page;
  },

  getBranch: (call) => {
    const repo = repoOf(call);
    const commit = repo.commits.get(repo.branches.get(call.params.branch) ?? '');
    if (commit === undefined) throw notFound();
    return ok(branchJson(call.view, repo, call.params.branch, commit, rightsOf(call, repo)));
  },

  getProtection: (call) => {
    const repo = repoOf(call);
    mustAdminister(call, repo);
    return ok(protectionJson(repo, call.params.name));
  },

  editProtection: (call) => {
    const repo = repoOf(call);
    mustAdminister(call, repo);
    const { name } = call.params;
    const { status_check_contexts } = protectionJson(repo, name);
    const rule = repo.protections.get(name);
    const body = call.body();
    const isOn = body.flag('enable_status_check') ?? rule?.statusChecks !== undefined;
    const contexts = body.texts('status_check_contexts') ?? status_check_contexts;
    repo.protections.set(name, { ...rule, statusChecks: isOn ? contexts : undefined });
    return ok(protectionJson(repo, name));
  },

  createStatus: (call) => {
    const repo = repoOf(call);
    const creator = mustWrite(call, repo, 'code');
    const body = call.body();
    const commit = resolve(repo, call.params.sha);
    if (commit === undefined) throw isForgejo(call.state.site, 15) ? notFound() : refuse(500, '');
    const [state, context] = [body.text('state') ?? '', body.text('context') ?? ''];
    const [description, targetUrl] = [body.text('description') ?? '', body.text('target_url') ?? ''];
    addStatus(call.state, repo, { sha: commit.sha, state, context, description, targetUrl, creator }, creator);
    return created({ status: state, context, description, target_url: targetUrl });
  },

  deleteBranch: (call) => {
    const repo = repoOf(call);
    const user = mustWrite(call, repo, 'code');
    notArchived(repo);
    const { branch } = call.params;
    if (!repo.branches.has(branch)) throw notFound();
    if (branch === repo.defaultBranch) throw forbidden('can not delete default or pull request target branch');
    if (repo.protections.has(branch)) throw forbidden('branch protected');
    deleteBranch(call.state, user, repo, branch);
    return nothing;
  },

  getTree: (call) => {
    const repo = repoOf(call);
    const commit = resolve(repo, call.params.sha);
    if (commit === undefined) throw refuse(400, `object does not exist [id: ${call.params.sha}, rel_path: ]`);
    const entries = rootEntries(repo, commit.sha).map((each) => ({
      mode: each.type === 'tree' ? '040000' : '100644',
      ...each,
    }));
    // only the newest server has the tree's own id
    return ok({ sha: commit.sha, tree: entries, truncated: false, page: 1, total_count: entries.length });
  },

  listLabels: (call) => {
    const repo = repoOf(call);
    return list(call, repo.labels, (label) => labelJson(call.view, repo, label));
  },

  listMilestones: (call) => {
    const repo = repoOf(call);
    const state = call.query.text('state') ?? 'open';
    const name = (call.query.text('name') ?? '').toLowerCase();
    const found = repo.milestones.filter(
      (each) => (state === 'all' || each.state === state) && each.title.toLowerCase().includes(name),
    );
    return list(call, found, (milestone) => milestoneJson(call.view, repo, milestone));
  },

  listAssignees: (call) => {
    const repo = repoOf(call);
    signedIn(call);
    return ok(insiders(call.state, repo).map((user) => plainUser(call.view, user)));
  },

  listReviewers: (call) => {
    const repo = repoOf(call);
    const me = signedIn(call);
    if (!isForgejo(call.state.site) && !mayChooseReviewers(call.state, me, repo, repo.owner))
      throw forbidden('doer has no permission to get reviewers');
    return ok(insiders(call.state, repo).map((user) => plainUser(call.view, user)));
  },

  listTeams: (call) => {
    const repo = repoOf(call);
    signedIn(call);
    if (repo.owner.kind !== 'Organization') throw refuse(405, 'repo is not owned by an organization');
    return ok(teamsWithAccess(call.state, repo).map((team) => teamJson(call.view, team, false)));
  },

  permission: (call) => {
    const repo = repoOf(call);
    const me = signedIn(call);
    const asked = userAt(call, call.params.username);
    if (asked !== me && !may(call, repo, 'code', 'admin')) {
      throw forbidden('Only admins can query all permissions, repo admins can query all repo permissions');
    }
    return ok({ ...permissionJson(call.view, repo, asked.login), user: userJson(call.view, asked) });
  },

  getFile: readFile,
  listIssueTemplates: listTemplates,
  getIssueConfig: readIssueConfig,

  commitStatus: (call) => {
    const repo = repoOf(call);
    const commit = resolve(repo, call.params.ref);
    const all = commit === undefined ? [] : latestStatuses(repo, commit);
    if (all.length === 0 && isForgejo(call.state.site)) {
      return ok({ state: '', sha: '', total_count: 0, statuses: null, repository: null, commit_url: '', url: '' });
    }
    if (commit === undefined) throw notFound(`object does not exist [id: ${call.params.ref}, rel_path: ]`);
    return list(call, all, (status) => status, {
      wrap: () => combinedStatusJson(call.view, repo, commit, slice(call, all)),
    });
  },
} satisfies Handlers['repos'];
