import type { Label } from '../state/label.js';
import {
  type Comment,
  fullName,
  type Issue,
  isDraft,
  type Milestone,
  type Repo,
  type TrackedTime,
} from '../state/repo.js';
import { plainUser, teamJson, userJson } from './people.js';
import { projectJson } from './projects.js';
import { repoMeta } from './repos.js';
import { apiUrl, type Json, stamp, stampOrNull, type View } from './view.js';

export const issueWeb = (view: View, issue: Issue): string =>
  `${view.state.site.url}/${fullName(issue.repo)}/${issue.pull === undefined ? 'issues' : 'pulls'}/${issue.index}`;

/** Also for a pull request: only its issue has an API address. */
export const issueApi = (view: View, issue: Issue): string =>
  `${apiUrl(view)}/repos/${fullName(issue.repo)}/issues/${issue.index}`;

export const labelJson = (view: View, repo: Repo, label: Label): Json =>
  labelUnder(view, repo.owner.labels.includes(label) ? `orgs/${repo.owner.login}` : `repos/${fullName(repo)}`, label);

/** `under`: the path of its repository or organization. */
export const labelUnder = (view: View, under: string, label: Label): Json => ({
  id: label.id,
  name: label.name,
  exclusive: false,
  is_archived: false,
  color: label.color,
  description: label.description,
  url: `${apiUrl(view)}/${under}/labels/${label.id}`,
});

export function milestoneJson(view: View, repo: Repo, milestone: Milestone): Json {
  const within = [...repo.issues.values()].filter((issue) => issue.milestone === milestone);
  return {
    id: milestone.id,
    title: milestone.title,
    description: milestone.description,
    state: milestone.state,
    open_issues: within.filter((issue) => issue.state === 'open').length,
    closed_issues: within.filter((issue) => issue.state === 'closed').length,
    created_at: stamp(view, milestone.created),
    updated_at: stamp(view, milestone.updated),
    closed_at: stampOrNull(view, milestone.closedAt),
    due_on: stampOrNull(view, milestone.dueOn),
  };
}

/** What issues and pull requests have in common. */
export function contentJson(view: View, issue: Issue) {
  const [first] = issue.assignees;
  return {
    labels: issue.labels.map((label) => labelJson(view, issue.repo, label)),
    milestone: issue.milestone === undefined ? null : milestoneJson(view, issue.repo, issue.milestone),
    assignee: first === undefined ? null : plainUser(view, first),
    assignees: issue.assignees.map((user) => plainUser(view, user)),
  };
}

function projectsOf(view: View, issue: Issue): Json[] | null {
  const list = [...issue.projects].flatMap((id) => view.state.projects.get(id) ?? []);
  return list.length === 0 ? null : list.map((project) => projectJson(view, project));
}

export function issueJson(view: View, issue: Issue): Json {
  const content = contentJson(view, issue);
  return {
    id: issue.id,
    url: issueApi(view, issue),
    html_url: issueWeb(view, issue),
    number: issue.index,
    user: userJson(view, issue.poster),
    original_author: '',
    original_author_id: 0,
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    assets: [],
    labels: content.labels,
    milestone: content.milestone,
    projects: projectsOf(view, issue),
    assignee: content.assignee,
    assignees: content.assignees.length === 0 ? null : content.assignees,
    state: issue.state,
    is_locked: issue.locked,
    comments: commentCount(issue),
    created_at: stamp(view, issue.created),
    updated_at: stamp(view, issue.updated),
    closed_at: stampOrNull(view, issue.closedAt),
    due_date: issue.dueDate ?? null,
    time_estimate: 0,
    pull_request: pullMeta(view, issue),
    repository: repoMeta(issue.repo),
    pin_order: 0,
    content_version: issue.contentVersion,
  };
}

function pullMeta(view: View, issue: Issue): Json | null {
  if (issue.pull === undefined) return null;
  return {
    merged: issue.pull.merged !== undefined,
    merged_at: stampOrNull(view, issue.pull.merged?.at),
    draft: isDraft(issue),
    html_url: issueWeb(view, issue),
  };
}

export const commentCount = (issue: Issue): number =>
  issue.comments.filter((comment) => comment.kind === 'text' || (comment.kind === 'review' && comment.body !== ''))
    .length;

export const commentWeb = (view: View, comment: Comment): string =>
  `${issueWeb(view, comment.issue)}#issuecomment-${comment.id}`;

/** Inside a feed row the poster is not loaded and the user is null. */
export function commentJson(view: View, comment: Comment, withUser = true): Json {
  const web = issueWeb(view, comment.issue);
  const ofPull = comment.issue.pull !== undefined;
  return {
    id: comment.id,
    html_url: commentWeb(view, comment),
    pull_request_url: ofPull ? web : '',
    issue_url: ofPull ? '' : web,
    user: withUser ? plainUser(view, comment.poster) : null,
    original_author: '',
    original_author_id: 0,
    body: comment.body,
    assets: [],
    created_at: stamp(view, comment.created),
    updated_at: stamp(view, comment.updated),
  };
}

const timelineTypes = { text: 'comment', review: 'review', close: 'close', reopen: 'reopen' } as const;

/** As in the timeline: including events. */
export function timelineJson(view: View, comment: Comment): Json {
  const { kind, event } = comment;
  return {
    ...commentJson(view, comment),
    type: kind === 'event' ? (event?.type ?? '') : timelineTypes[kind],
    assignee: event?.assignee ? plainUser(view, event.assignee) : null,
    assignee_team: event?.team ? teamJson(view, event.team, false) : null,
    removed_assignee: event?.removed === true,
  };
}

export const trackedJson = (view: View, time: TrackedTime): Json => ({
  id: time.id,
  created: stamp(view, time.created),
  time: time.seconds,
  user_id: time.user.id,
  user_name: time.user.login,
  issue_id: time.issue.id,
  issue: issueJson(view, time.issue),
});
