import { notFound } from '../http/answer.js';
import type { Commit, CommitStatus, Repo } from '../state/repo.js';
import { fullName } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { plainUser, userJson } from './people.js';
import { repoJson } from './repos.js';
import { apiUrl, type Json, stamp, type View } from './view.js';

const unsigned = {
  verified: false,
  reason: 'gpg.error.not_signed_commit',
  signature: '',
  signer: null,
  payload: '',
};

export interface CommitParts {
  readonly stat: boolean;
  readonly verification: boolean;
  readonly files: boolean;
}

export function commitJson(view: View, repo: Repo, commit: Commit, parts: CommitParts): Json {
  const api = `${apiUrl(view)}/repos/${fullName(repo)}/git`;
  const created = stamp(view, commit.at);
  const signed = (email = commit.author.email) => {
    const user = [...view.state.users.values()].find((each) => each.email === email);
    const name = user ? user.fullName || user.login : (email.split('@', 1)[0] ?? '');
    return { user, signature: { name, email, date: created } };
  };
  const author = signed(commit.authorEmail);
  const committer = signed(commit.committerEmail ?? commit.authorEmail);
  const url = `${api}/commits/${commit.sha}`;
  return {
    url,
    sha: commit.sha,
    created,
    html_url: `${view.state.site.url}/${fullName(repo)}/commit/${commit.sha}`,
    commit: {
      url,
      author: author.signature,
      committer: committer.signature,
      message: commit.message,
      tree: { url: `${api}/trees/${commit.sha}`, sha: commit.sha, created },
      verification: parts.verification ? unsigned : null,
    },
    author: author.user ? plainUser(view, author.user) : null,
    committer: committer.user ? plainUser(view, committer.user) : null,
    parents: commit.parents.map((sha) => ({ url: `${api}/commits/${sha}`, sha, created: stamp(view, 0) })),
    ...(parts.files ? { files: commit.files } : { files: null }),
    stats: parts.stat
      ? { total: commit.additions + commit.deletions, additions: commit.additions, deletions: commit.deletions }
      : null,
  };
}

const payloadUser = (commit: Commit): Json => ({
  name: commit.author.fullName || commit.author.login,
  email: commit.author.email,
  username: commit.author.login,
});

/** The shape of hooks and of branches. */
export function payloadCommit(view: View, repo: Repo, commit: Commit): Json {
  const files = (status: string) => commit.files.filter((file) => file.status === status).map((file) => file.filename);
  return {
    id: commit.sha,
    message: commit.message,
    url: `${view.state.site.url}/${fullName(repo)}/commit/${commit.sha}`,
    author: payloadUser(commit),
    committer: payloadUser(commit),
    verification: null,
    timestamp: stamp(view, commit.at),
    added: files('added'),
    removed: files('removed'),
    modified: files('modified'),
  };
}

export function protectionJson({ protections }: Repo, name: string) {
  const rule = protections.get(name);
  if (rule === undefined) throw notFound();
  const contexts = rule.statusChecks ?? [];
  return {
    rule_name: name,
    enable_status_check: rule.statusChecks !== undefined,
    status_check_contexts: contexts,
    block_on_outdated_branch: rule.blockOnOutdated === true,
  };
}

export function branchJson(
  view: View,
  repo: Repo,
  name: string,
  commit: Commit,
  { canWrite, isAdmin }: { readonly canWrite: boolean; readonly isAdmin: boolean },
): Json {
  const rule = repo.protections.get(name);
  const listed = rule?.mergeList === undefined || rule.mergeList.includes(view.viewer?.login ?? '');
  return {
    name,
    commit: {
      ...payloadCommit(view, repo, commit),
      verification: unsigned,
      added: null,
      removed: null,
      modified: null,
    },
    protected: rule !== undefined,
    required_approvals: rule?.requiredApprovals ?? 0,
    enable_status_check: rule?.statusChecks !== undefined,
    status_check_contexts: rule === undefined ? [] : (rule.statusChecks ?? null),
    user_can_push: canWrite,
    user_can_merge: canWrite && listed,
    effective_branch_protection_name: rule !== undefined && isAdmin ? name : '',
  };
}

/** One page's summary, in this product's words. */
function summary(view: View, statuses: readonly CommitStatus[]): string {
  const has = (...words: readonly string[]) => statuses.some(({ state }) => words.includes(state));
  const forgejo = isForgejo(view.state.site);
  if (statuses.length === 0) return forgejo ? '' : 'pending';
  if (has('error', 'failure')) return 'failure';
  if (has('warning')) return forgejo ? 'warning' : 'failure';
  if (has('pending')) return 'pending';
  if (forgejo) return has('success') ? 'success' : has('skipped') ? 'skipped' : 'success';
  return statuses.every(({ state }) => state === 'success' || state === 'skipped') ? 'success' : 'pending';
}

/** The latest status of each context, newest first. */
export function latestStatuses(repo: Repo, commit: Commit): readonly CommitStatus[] {
  const latest = new Map<string, CommitStatus>();
  for (const status of repo.statuses) {
    if (status.sha === commit.sha) latest.set(status.context, status);
  }
  return [...latest.values()].sort((a, b) => b.id - a.id);
}

/** For one page: its worst state counts as the whole, and its length as the count. */
export function combinedStatusJson(view: View, repo: Repo, commit: Commit, statuses: readonly CommitStatus[]): Json {
  const api = `${apiUrl(view)}/repos/${fullName(repo)}`;
  return {
    state: summary(view, statuses),
    sha: commit.sha,
    total_count: statuses.length,
    statuses:
      statuses.length === 0
        ? null
        : statuses.map((status) => ({
            id: status.id,
            status: status.state,
            target_url: status.targetUrl,
            description: status.description,
            url: `${api}/statuses/${status.sha}`,
            context: status.context,
            creator: status.creator === undefined ? null : userJson(view, status.creator),
            created_at: stamp(view, status.at),
            updated_at: stamp(view, status.at),
          })),
    repository: repoJson(view, repo),
    commit_url: `${api}/commits/${commit.sha}`,
    url: `${api}/commits/${commit.sha}/status`,
  };
}
