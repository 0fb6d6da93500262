import type { Team, User } from '../state/people.js';
import { type Issue, isDraft, type Pull, type Repo, type Review } from '../state/repo.js';
import { commentCount, commentWeb, contentJson, issueWeb } from './issues.js';
import { plainUser, teamJson, userJson } from './people.js';
import { repoJson } from './repos.js';
import { type Json, stamp, stampOrNull, type View } from './view.js';

interface Reviewers {
  readonly users: User[];
  readonly teams: Team[];
}

const reviewersIn = (reviews: readonly Review[]): Reviewers => ({
  users: [...new Set(reviews.flatMap((review) => review.user ?? []))],
  teams: [...new Set(reviews.flatMap((review) => review.team ?? []))],
});

/** Open review requests: an answered one is no longer among the reviews. */
export const requested = (pull: Pull): Reviewers =>
  reviewersIn(pull.reviews.filter((review) => review.state === 'REQUEST_REVIEW'));

const counts: readonly Review['state'][] = ['APPROVED', 'REQUEST_CHANGES', 'REQUEST_REVIEW'];

/** As shown on the pull request: includes people with a verdict. */
const shownAsRequested = (pull: Pull): Reviewers =>
  reviewersIn(pull.reviews.filter((review) => counts.includes(review.state) && !review.dismissed));

/** False with a conflict, for a draft and while the server checks: nothing tells them apart. */
export const isMergeable = (issue: Issue): boolean =>
  issue.pull !== undefined && !issue.pull.conflicts && issue.pull.checkedAt <= Date.now() && !isDraft(issue);

const branchJson = (view: View, branch: string, sha: string, repo: Repo | undefined, ref = branch): Json => ({
  label: branch,
  ref,
  sha,
  repo_id: repo?.id ?? -1,
  repo: repo === undefined ? null : repoJson(view, repo),
});

function headJson(view: View, issue: Issue, pull: Pull): Json {
  const alive = pull.headRepo?.branches.has(pull.head) === true;
  return branchJson(view, pull.head, pull.headSha, pull.headRepo, alive ? pull.head : `refs/pull/${issue.index}/head`);
}

export function pullJson(view: View, issue: Issue, pull: Pull): Json {
  const web = issueWeb(view, issue);
  const asked = shownAsRequested(pull);
  return {
    id: pull.id,
    url: web,
    number: issue.index,
    user: userJson(view, issue.poster),
    title: issue.title,
    body: issue.body,
    ...contentJson(view, issue),
    requested_reviewers: asked.users.map((user) => plainUser(view, user)),
    requested_reviewers_teams: asked.teams.map((team) => teamJson(view, team, true)),
    state: issue.state,
    draft: isDraft(issue),
    is_locked: issue.locked,
    comments: commentCount(issue),
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
    html_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    mergeable: isMergeable(issue),
    merged: pull.merged !== undefined,
    merged_at: stampOrNull(view, pull.merged?.at),
    merge_commit_sha: pull.merged?.sha ?? null,
    merged_by: pull.merged === undefined ? null : userJson(view, pull.merged.by),
    allow_maintainer_edit: pull.maintainerEdit,
    base: branchJson(view, pull.base, issue.repo.branches.get(pull.base) ?? '', issue.repo),
    head: headJson(view, issue, pull),
    merge_base: pull.mergeBase,
    due_date: issue.dueDate ?? null,
    created_at: stamp(view, issue.created),
    updated_at: stamp(view, issue.updated),
    closed_at: stampOrNull(view, issue.closedAt),
    pin_order: 0,
    content_version: issue.contentVersion,
  };
}

export const reviewJson = (view: View, issue: Issue, review: Review): Json => ({
  id: review.id,
  user: review.user === undefined ? null : userJson(view, review.user),
  team: review.team === undefined ? null : teamJson(view, review.team, false),
  state: review.state,
  body: review.body,
  commit_id: review.commitId,
  stale: review.stale,
  official: review.official,
  dismissed: review.dismissed,
  comments_count: review.comments.length,
  submitted_at: stamp(view, review.created),
  updated_at: stamp(view, review.updated),
  html_url: review.comment === undefined ? '' : commentWeb(view, review.comment),
  pull_request_url: issueWeb(view, issue),
});
