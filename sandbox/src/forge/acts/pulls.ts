import { compilePattern } from '../../../../src/pattern.js';
import { latestStatuses } from '../render/commits.js';
import type { User } from '../state/people.js';
import type { Commit, Issue, Protection, Pull, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { commit, history } from './commits.js';
import { aboutIssue, record } from './feed.js';
import { announcePush } from './git.js';
import { addComment, announceNew, createIssue, type NewIssue, tellHooks } from './issues.js';
import { measure, missingIn, pushedBody } from './measure.js';
import { notifyAll } from './notify.js';
import { deleteBranch } from './refs.js';
import { askCodeOwners } from './reviews.js';

export interface NewPull extends NewIssue {
  readonly head: string;
  readonly base: string;
  readonly headRepo?: Repo;
}

export function openPull(state: State, poster: User, repo: Repo, what: NewPull): Issue & { readonly pull: Pull } {
  const headRepo = what.headRepo ?? repo;
  const headSha = headRepo.branches.get(what.head);
  if (headSha === undefined) throw new Error(`The sandbox forge has no branch ${what.head}.`);
  // a fork's commits are available under refs/pull
  for (const each of history(headRepo, headSha)) if (!repo.commits.has(each.sha)) repo.commits.set(each.sha, each);
  const pull: Pull = {
    id: state.nextId('pull'),
    base: what.base,
    head: what.head,
    headSha,
    laggingRef: undefined,
    mergeBase: '',
    headRepo,
    merged: undefined,
    conflicts: false,
    rebaseConflicts: false,
    checkedAt: 0,
    schedule: undefined,
    maintainerEdit: true,
    additions: 0,
    deletions: 0,
    changedFiles: 0,
    reviews: [],
  };
  measure(repo, pull);
  const issue = createIssue(state, poster, repo, what, pull);
  addComment(state, issue, poster, pushedBody(repo, repo.branches.get(what.base) ?? '', headSha), {
    type: 'pull_push',
  });
  announceNew(state, issue, 'create_pull_request');
  askCodeOwners(state, issue, pull);
  return Object.assign(issue, { pull });
}

export function retarget(issue: Issue, pull: Pull, base: string): void {
  pull.base = base;
  measure(issue.repo, pull);
}

export interface Merge {
  readonly title?: string;
  readonly deleteBranch?: boolean;
  readonly style?: string;
  /** Merged automatically once its checks were green. */
  readonly auto?: boolean;
}

/** Every open pull request of that base is checked for conflicts again. */
export function recheck(state: State, repo: Repo, base: string): void {
  for (const { state: of, pull } of repo.issues.values())
    if (pull?.base === base && of === 'open') pull.checkedAt = Date.now() + state.site.recheckMs;
}

const passed = ['success', 'skipped'];

/** Green enough for the branch; a status on a former head does not count. */
function areChecksGreen(repo: Repo, pull: Pull, patterns: readonly string[]): boolean {
  const commit = repo.commits.get(pull.headSha);
  const found = commit === undefined ? [] : latestStatuses(repo, commit);
  if (patterns.length === 0) return found.length > 0 && found.every((each) => passed.includes(each.state));
  return patterns.every((pattern) => {
    // here a star matches slashes too
    const fits = compilePattern(pattern.replaceAll(/\*+/g, '**'), { caseSensitive: true });
    const matching = found.filter(({ context }) => fits(context));
    return matching.length > 0 && matching.every((each) => passed.includes(each.state));
  });
}

/** The first rule that a merge breaks, in the server's words. */
export function brokenRule(state: State, { repo }: Issue, pull: Pull): string | undefined {
  const rule = repo.protections.get(pull.base);
  if (rule === undefined) return undefined;
  const reason = brokenBy(repo, pull, rule);
  if (reason !== undefined) return isForgejo(state.site) ? `not allowed to merge [reason: ${reason}]` : reason;
  if (rule.requireSigned !== true) return undefined;
  if (isForgejo(state.site)) return "won't sign: nokey";
  return state.site.flavor === 'gitea-1.26'
    ? 'wont sign: nokey'
    : 'the branch requires signed commits but not all head commits are verified';
}

function brokenBy(repo: Repo, pull: Pull, rule: Protection): string | undefined {
  const counts = pull.reviews.filter(({ official, dismissed }) => official && !dismissed);
  const ofState = (state: string) => counts.filter((each) => each.state === state).length;
  if (rule.statusChecks !== undefined && !areChecksGreen(repo, pull, rule.statusChecks))
    return 'Not all required status checks successful';
  const approved = counts.filter(({ state, stale }) => state === 'APPROVED' && !(rule.ignoreStale && stale));
  if (approved.length < (rule.requiredApprovals ?? 0)) return 'Does not have enough approvals';
  if (rule.blockOnRejected === true && ofState('REQUEST_CHANGES') > 0) return 'There are requested changes';
  if (rule.blockOnRequests === true && ofState('REQUEST_REVIEW') > 0) return 'There are official review requests';
  if (rule.blockOnOutdated === true && isBehind(repo, pull)) return 'The head branch is behind the base branch';
  const files = missingIn(repo, repo.branches.get(pull.base) ?? '', pull.headSha).flatMap(({ files }) => files);
  const isProtected = compilePattern(rule.protectedFiles ?? '', { caseSensitive: true });
  return files.some(({ filename }) => isProtected(filename)) ? 'Changed protected files' : undefined;
}

/** It lacks commits of its base. */
export const isBehind = (repo: Repo, pull: Pull): boolean =>
  missingIn(repo, pull.headSha, repo.branches.get(pull.base) ?? '').length > 0;

/**
 * The server's own "merge when checks succeed", as it is: bound to no head and no base. Gitea merges as soon as no required
 * check is missing, so at once if none is required; Forgejo only when a success arrives, whatever else is pending.
 */
export function mergeScheduled(state: State, issue: Issue, succeeded: boolean): void {
  const { pull, repo } = issue;
  if (pull?.schedule === undefined || issue.state !== 'open' || (isForgejo(state.site) && !succeeded)) return;
  if (brokenRule(state, issue, pull) !== undefined) return;
  const { by, deleteBranch } = pull.schedule;
  pull.schedule = undefined;
  if (repo.archivedAt === undefined) merge(state, by, issue, pull, { deleteBranch, auto: true });
}

interface Landing {
  readonly message: string;
  readonly before: string;
  readonly head: string;
  /** Newest first. */
  readonly brought: readonly Commit[];
}

/** The new head of the base, as each style makes it. */
function land(state: State, repo: Repo, actor: User, what: Landing, style = 'merge'): Commit {
  const { message, before, head, brought } = what;
  const own = brought.filter(({ changes }) => changes.length > 0);
  const tip = repo.commits.get(head);
  if (style === 'fast-forward-only' && tip) return tip;
  if (style === 'squash') {
    const files = [...new Set(own.flatMap((each) => each.files.map(({ filename }) => filename)))];
    return commit(state, repo, actor, { message, files, changes: own.flatMap(({ changes }) => changes) }, [before]);
  }
  if (style === 'rebase' && own.length > 0) return repeatOnto(state, repo, actor, own, before);
  return commit(state, repo, actor, { message, files: [] }, [before, head]);
}

/** The same changes again, one after the other. */
function repeatOnto(state: State, repo: Repo, actor: User, commits: readonly Commit[], onto: string): Commit {
  const made: Commit[] = [];
  for (const { message, files, changes } of [...commits].reverse()) {
    const change = { message, files: files.map(({ filename }) => filename), changes };
    made.push(commit(state, repo, actor, change, [made.at(-1)?.sha ?? onto]));
  }
  const last = made.at(-1);
  if (last === undefined) throw new Error('The sandbox forge has nothing to rebase.');
  return last;
}

/** Leaves a push row and a merge row in the same second, and no close row. */
export function merge(state: State, actor: User, issue: Issue, pull: Pull, how: Merge = {}): void {
  const { repo } = issue;
  const before = repo.branches.get(pull.base) ?? '';
  const brought = missingIn(repo, before, pull.headSha);
  const message =
    how.title ?? `Merge pull request '${issue.title}' (#${issue.index}) from ${pull.head} into ${pull.base}`;
  const made = land(state, repo, actor, { message, before, head: pull.headSha, brought }, how.style);
  repo.branches.set(pull.base, made.sha);
  const now = state.now();
  pull.merged = { at: now, by: actor, sha: made.sha };
  issue.state = 'closed';
  issue.closedAt = now;
  addComment(state, issue, actor, '', { type: 'merge_pull' });
  announcePush(state, actor, repo, pull.base, missingIn(repo, before, made.sha), before);
  const op = how.auto === true ? 'auto_merge_pull_request' : 'merge_pull_request';
  record(state, { op, actor, repo, content: aboutIssue(state, issue, issue.title) });
  recheck(state, repo, pull.base);
  notifyAll(state, issue, actor);
  tellHooks(state, issue, actor, 'closed');
  if (how.deleteBranch === true && pull.headRepo !== undefined) deleteBranch(state, actor, pull.headRepo, pull.head);
}

/** What the pull request itself changes stays the same, so its reviews do not go stale, unless both changed the same file. */
export function updateHead(state: State, actor: User, issue: Issue, pull: Pull, style: 'merge' | 'rebase'): void {
  const { headRepo, headSha: before } = pull;
  if (headRepo === undefined) return;
  const base = issue.repo.branches.get(pull.base) ?? '';
  const [theirs, ours] = [missingIn(issue.repo, before, base), missingIn(issue.repo, base, before)];
  const touched = new Set(theirs.flatMap(({ files }) => files.map(({ filename }) => filename)));
  const same = ours.some(({ files }) => files.some(({ filename }) => touched.has(filename)));
  const kept = pull.reviews.map(({ stale, dismissed }) => ({ stale, dismissed }));
  for (const each of history(issue.repo, base)) headRepo.commits.set(each.sha, each);
  const own = ours.filter(({ changes }) => changes.length > 0);
  const made =
    style === 'rebase' && own.length > 0
      ? repeatOnto(state, headRepo, actor, own, base)
      : commit(state, headRepo, actor, { message: `Merge branch '${pull.base}' into ${pull.head}`, files: [] }, [
          before,
          base,
        ]);
  for (const each of missingIn(headRepo, base, made.sha)) issue.repo.commits.set(each.sha, each);
  headRepo.branches.set(pull.head, made.sha);
  announcePush(state, actor, headRepo, pull.head, [made], before);
  if (!same) for (const [nth, each] of pull.reviews.entries()) Object.assign(each, kept[nth]);
}
