import { type Merge, merge, openPull, updateHead } from '../acts/pulls.js';
import { dismiss, requestReview, review, withdrawRequest } from '../acts/reviews.js';
import { findTeam, issueOf, person, repository } from '../state/find.js';
import type { Issue, MergeSettings, Protection, Pull, Review } from '../state/repo.js';
import type { State } from '../state/state.js';
import { contentOf, type On, type OpenIssue } from './issues.js';

export interface OpenPull extends OpenIssue {
  readonly head: string;
  readonly base?: string;
  /** The fork it comes from, by its full name. */
  readonly from?: string;
}

function pullOf(state: State, what: On): { issue: Issue; pull: Pull } {
  const issue = issueOf(state, what.repo, what.index);
  if (issue.pull === undefined) throw new Error(`${what.repo}#${what.index} is no pull request.`);
  return { issue, pull: issue.pull };
}

interface Reviewers {
  readonly from?: readonly string[];
  readonly teams?: readonly string[];
}

function reviewersIn(state: State, { repo }: Issue, { from = [], teams = [] }: Reviewers) {
  return [
    ...from.map((login) => ({ user: person(state, login) })),
    ...teams.map((name) => {
      const team = findTeam(state, repo.owner, name);
      if (team === undefined) throw new Error(`The sandbox forge has no team ${name}.`);
      return { team };
    }),
  ];
}

export const pullVerbs = (state: State) => ({
  openPull: (what: OpenPull): Issue => {
    const repo = repository(state, what.repo);
    return openPull(state, person(state, what.as), repo, {
      ...contentOf(state, what),
      head: what.head,
      base: what.base ?? repo.defaultBranch,
      ...(what.from !== undefined && { headRepo: repository(state, what.from) }),
    });
  },

  requestReview: (what: On & Reviewers): void => {
    const { issue, pull } = pullOf(state, what);
    const actor = person(state, what.as);
    for (const who of reviewersIn(state, issue, what)) requestReview(state, actor, issue, pull, who);
  },

  withdrawRequest: (what: On & Reviewers): void => {
    const { issue, pull } = pullOf(state, what);
    const actor = person(state, what.as);
    for (const who of reviewersIn(state, issue, what)) withdrawRequest(state, actor, issue, pull, who);
  },

  review: (
    what: On & {
      readonly verdict: 'approve' | 'reject' | 'comment' | 'draft';
      readonly body?: string;
      readonly comments?: readonly string[];
    },
  ): Review => {
    const { issue, pull } = pullOf(state, what);
    const states = { approve: 'APPROVED', reject: 'REQUEST_CHANGES', comment: 'COMMENT', draft: 'PENDING' } as const;
    return review(state, person(state, what.as), issue, pull, {
      state: states[what.verdict],
      body: what.body ?? '',
      comments: what.comments ?? [],
    });
  },

  /** That reviewer's latest verdict. */
  dismissReview: (what: On & { readonly of: string; readonly reason?: string }): void => {
    const { issue, pull } = pullOf(state, what);
    const reviewer = person(state, what.of);
    const found = pull.reviews.findLast((each) => each.user === reviewer && each.state !== 'REQUEST_REVIEW');
    if (found === undefined) throw new Error(`${what.of} has not reviewed ${what.repo}#${what.index}.`);
    dismiss(state, person(state, what.as), issue, found, what.reason);
  },

  merge: (what: On & Merge): void => {
    const { issue, pull } = pullOf(state, what);
    merge(state, person(state, what.as), issue, pull, what);
  },

  /** Brings the base into its branch. */
  update: (what: On): void => {
    const { issue, pull } = pullOf(state, what);
    updateHead(state, person(state, what.as), issue, pull, 'merge');
  },

  setConflicts: (what: { readonly repo: string; readonly index: number; readonly conflicts: boolean }): void => {
    pullOf(state, { ...what, as: '' }).pull.conflicts = what.conflicts;
  },

  /** It merges, but its commits one by one do not. */
  setRebaseConflicts: (what: { readonly repo: string; readonly index: number }): void => {
    pullOf(state, { ...what, as: '' }).pull.rebaseConflicts = true;
  },

  /** The server checks it for conflicts from now on, for that long. */
  check: (what: { readonly repo: string; readonly index: number; readonly forMs: number }): void => {
    pullOf(state, { ...what, as: '' }).pull.checkedAt = Date.now() + what.forMs;
  },

  /** What a branch demands of a merge; without rules it is no longer protected. */
  protect: (what: { readonly repo: string; readonly branch: string } & { readonly rules?: Protection }): void => {
    const { protections } = repository(state, what.repo);
    if (what.rules === undefined) protections.delete(what.branch);
    else protections.set(what.branch, what.rules);
  },

  setMerging: (what: { readonly repo: string } & Partial<MergeSettings>): void => {
    const repo = repository(state, what.repo);
    const { repo: _, ...changes } = what;
    repo.merging = { ...repo.merging, ...changes };
  },
});
