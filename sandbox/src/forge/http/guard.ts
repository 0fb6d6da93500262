import { access, atLeast, canSee, ownerShown } from '../state/access.js';
import { findFormerRepo, findFormerUser, findRepo, findUser } from '../state/find.js';
import type { Level, Unit, User } from '../state/people.js';
import type { Issue, Pull, Repo } from '../state/repo.js';
import { fullName } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { forbidden, moved, notFound, refuse } from './answer.js';
import type { Call } from './call.js';

type Asked = Pick<Call, 'state' | 'caller' | 'path' | 'query'>;
type InRepo = Asked & { readonly params: { readonly owner: string; readonly repo: string } };

export function signedIn(call: Pick<Call, 'caller'>): User {
  if (call.caller.user === undefined) throw refuse(401, 'token is required');
  return call.caller.user;
}

export function siteAdmin(call: Pick<Call, 'caller'>): User {
  const user = signedIn(call);
  if (!user.admin) throw forbidden('user should be the site admin');
  return user;
}

/** Relative, with everything after the old name. */
function newHome(call: Asked, oldPrefix: string, newPrefix: string): string {
  const base = new URL(`${call.state.site.url}/api/v1`).pathname;
  const search = new URLSearchParams(call.query.entries()).toString();
  return `${base}${call.path.replace(oldPrefix, newPrefix)}${search === '' ? '' : `?${search}`}`;
}

const segments = (path: string, count: number): string => path.split('/').slice(0, count).join('/');

function movedRepo(call: InRepo): Repo | undefined {
  const { owner, repo: name } = call.params;
  const repo = findFormerRepo(call.state, owner, name);
  if (repo === undefined) return undefined;
  throw moved(
    call.state.site.flavor === 'forgejo-11' ? 307 : 301,
    newHome(call, segments(call.path, 4), `/repos/${fullName(repo)}`),
  );
}

/** A token for public content only, used on something private. */
const publicOnly = ({ site }: State): Error =>
  isForgejo(site, 15) ? notFound() : forbidden('token scope is limited to public repos');

/** The repository in the path, if the caller may see it. */
export function repoOf(call: InRepo): Repo {
  const { owner, repo: name } = call.params;
  const formerOwner = findUser(call.state, owner) === undefined ? findFormerUser(call.state, owner) : undefined;
  if (formerOwner !== undefined) {
    const rest = call.path.split('/').slice(3).join('/');
    throw moved(307, newHome(call, call.path, `/repos/${formerOwner.login}/${rest}`));
  }
  const repo = findRepo(call.state, owner, name) ?? movedRepo(call);
  if (repo === undefined || !canSee(call.state, call.caller.user, repo)) throw notFound();
  if (repo.private && call.caller.token?.scopes.includes('public-only') === true) throw publicOnly(call.state);
  mustReadUnit(call, repo);
  return repo;
}

const ofCode: ReadonlySet<string> = new Set(['branches', 'commits', 'contents', 'git', 'statuses', 'tags']);

/** What the real router asks before a handler: issues and pull requests one may not read do not exist, the rest is refused. */
function mustReadUnit(call: InRepo, repo: Repo): void {
  const [part = '', index = ''] = call.path.split('/').slice(4);
  const reads = (unit: Unit) => may(call, repo, unit, 'read');
  const unit = ofCode.has(part) ? 'code' : part;
  if (part === 'issues') {
    const item = repo.issues.get(Number(index));
    const asked = item === undefined ? call.query.text('type') : item.pull === undefined ? 'issues' : 'pulls';
    const wanted: readonly Unit[] = asked === 'issues' || asked === 'pulls' ? [asked] : ['issues', 'pulls'];
    if (!wanted.some(reads)) throw notFound();
  }
  if (part === 'pulls' && !reads('pulls')) throw notFound();
  if (
    (part === 'pulls' && !reads('code')) ||
    ((unit === 'code' || unit === 'actions' || unit === 'releases') && !reads(unit))
  )
    throw forbidden('user should have specific read permission or be a repo admin or a site admin');
}

export function may(call: Asked, repo: Repo, unit: Unit, level: Level): boolean {
  return atLeast(access(call.state, call.caller.user, repo, unit), level);
}

/** A repository's runs are only for signed-in people, even if it is public. */
export function readable(call: InRepo): Repo {
  const repo = repoOf(call);
  signedIn(call);
  return repo;
}

export function mustWrite(call: Asked, repo: Repo, unit: Unit): User {
  const user = signedIn(call);
  if (!may(call, repo, unit, 'write')) throw forbidden('user should have a permission to write to a repo');
  return user;
}

export function mustAdminister(call: Asked, repo: Repo): User {
  const user = signedIn(call);
  if (!may(call, repo, 'code', 'admin')) {
    throw forbidden('user should be an owner or a collaborator with admin write of a repository');
  }
  return user;
}

export function notArchived(repo: Repo): void {
  if (repo.archivedAt !== undefined) throw refuse(423, 'repo is archived');
}

/** An issue that only the body or a service looks up; Forgejo's message has more detail. */
export const noIssue = ({ site }: State, repo: Repo, index: number): Error =>
  notFound(isForgejo(site) ? `issue does not exist [id: 0, repo_id: ${repo.id}, index: ${index}]` : undefined);

export function issueAt(repo: Repo, index: number): Issue {
  const issue = repo.issues.get(index);
  if (issue === undefined) throw notFound();
  return issue;
}

export function pullAt(repo: Repo, index: number): Issue & { readonly pull: Pull } {
  const issue = issueAt(repo, index);
  const { pull } = issue;
  if (pull === undefined) throw notFound();
  return Object.assign(issue, { pull });
}

/** A person or organization in the path. */
export function userAt(call: Asked, login: string): User {
  const user = findUser(call.state, login);
  if (user !== undefined && ownerShown(call.state, call.caller.user, user)) return user;
  const former = findFormerUser(call.state, login);
  if (former !== undefined) throw moved(307, newHome(call, `/${login}`, `/${former.login}`));
  throw notFound(`user redirect does not exist [name: ${login}]`);
}
