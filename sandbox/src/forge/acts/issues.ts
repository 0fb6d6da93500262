import { commentJson, issueJson } from '../render/issues.js';
import { pullJson } from '../render/pulls.js';
import type { View } from '../render/view.js';
import type { Label } from '../state/label.js';
import type { User } from '../state/people.js';
import type { Comment, Issue, Milestone, Pull, Repo, TimelineEvent } from '../state/repo.js';
import { changed, type State } from '../state/state.js';
import { aboutIssue, excerpt, record } from './feed.js';
import { emit } from './hooks.js';
import { notifyAll, notifyMentions, notifyPeople } from './notify.js';

export interface NewIssue {
  readonly title: string;
  readonly body?: string;
  readonly labels?: readonly Label[];
  readonly milestone?: Milestone | undefined;
  readonly assignees?: readonly User[];
  readonly dueDate?: string | undefined;
  readonly projects?: readonly number[];
}

const subject = (view: View, issue: Issue): Readonly<Record<string, unknown>> =>
  issue.pull === undefined ? { issue: issueJson(view, issue) } : { pull_request: pullJson(view, issue, issue.pull) };

/** The hook of an issue or pull request; `kind` is '' or 'assign', 'label', 'milestone'. */
export function tellHooks(state: State, issue: Issue, sender: User, action: string, kind = ''): void {
  const group = issue.pull === undefined ? 'issues' : 'pull_request';
  const prefix = issue.pull === undefined ? 'issue' : 'pull_request';
  emit(state, {
    event: group,
    type: kind === '' ? group : `${prefix}_${kind}`,
    repo: issue.repo,
    sender,
    payload: (view) => ({ action, number: issue.index, ...subject(view, issue) }),
  });
}

export function addComment(
  state: State,
  issue: Issue,
  poster: User,
  body: string,
  what: Exclude<Comment['kind'], 'event'> | TimelineEvent,
): Comment {
  const now = state.now();
  const entry = typeof what === 'string' ? { kind: what, event: undefined } : { kind: 'event' as const, event: what };
  const made: Comment = { id: state.nextId('comment'), issue, poster, body, ...entry, created: now, updated: now };
  state.comments.set(made.id, made);
  issue.comments.push(made);
  issue.updated = now;
  changed(state, 'issue', issue.repo);
  return made;
}

/** Only the record; `pull` makes it a pull request. */
export function createIssue(state: State, poster: User, repo: Repo, what: NewIssue, pull?: Pull): Issue {
  const now = state.now();
  const issue: Issue = {
    id: state.nextId('issue'),
    repo,
    index: state.nextId(`index of ${repo.id}`),
    poster,
    title: what.title,
    body: what.body ?? '',
    contentVersion: 0,
    state: 'open',
    closedAt: undefined,
    created: now,
    updated: now,
    dueDate: what.dueDate,
    ref: '',
    locked: false,
    labels: [...(what.labels ?? [])],
    milestone: what.milestone,
    assignees: [...(what.assignees ?? [])],
    projects: new Set(what.projects),
    dependencies: new Set(),
    comments: [],
    mentioned: new Set(),
    pull,
  };
  repo.issues.set(issue.index, issue);
  state.issues.set(issue.id, issue);
  repo.updated = now;
  changed(state, 'issue', repo);
  return issue;
}

export function openIssue(state: State, poster: User, repo: Repo, what: NewIssue): Issue {
  const issue = createIssue(state, poster, repo, what);
  announceNew(state, issue, 'create_issue');
  return issue;
}

export function announceNew(state: State, issue: Issue, op: string): void {
  const { poster, repo } = issue;
  for (const assignee of issue.assignees) addComment(state, issue, poster, '', { type: 'assignees', assignee });
  record(state, { op, actor: poster, repo, content: aboutIssue(state, issue, issue.title) });
  notifyAll(state, issue, poster);
  notifyMentions(state, issue, poster, issue.body);
  tellHooks(state, issue, poster, 'opened');
}

export function comment(state: State, actor: User, issue: Issue, body: string): Comment {
  const made = addComment(state, issue, actor, body, 'text');
  const ofPull = issue.pull !== undefined;
  record(state, {
    op: ofPull ? 'comment_pull' : 'comment_issue',
    actor,
    repo: issue.repo,
    comment: made,
    content: aboutIssue(state, issue, excerpt(state, body)),
  });
  notifyAll(state, issue, actor);
  notifyMentions(state, issue, actor, body);
  emit(state, {
    event: 'issue_comment',
    type: ofPull ? 'pull_request_comment' : 'issue_comment',
    repo: issue.repo,
    sender: actor,
    payload: (view) => ({
      action: 'created',
      issue: issueJson(view, issue),
      comment: commentJson(view, made),
      is_pull: ofPull,
    }),
  });
  return made;
}

/** Closing twice does nothing. */
export function setState(state: State, actor: User, issue: Issue, wanted: 'open' | 'closed'): void {
  if (issue.state === wanted) return;
  issue.state = wanted;
  issue.closedAt = wanted === 'closed' ? state.now() : undefined;
  const made = addComment(state, issue, actor, '', wanted === 'closed' ? 'close' : 'reopen');
  const verb = wanted === 'closed' ? 'close' : 'reopen';
  record(state, {
    op: `${verb}_${issue.pull === undefined ? 'issue' : 'pull_request'}`,
    actor,
    repo: issue.repo,
    comment: made,
    content: aboutIssue(state, issue, ''),
  });
  notifyAll(state, issue, actor);
  tellHooks(state, issue, actor, wanted === 'closed' ? 'closed' : 'reopened');
}

export function assign(state: State, actor: User, issue: Issue, people: readonly User[]): void {
  const added = people.filter((user) => !issue.assignees.includes(user));
  const removed = issue.assignees.filter((user) => !people.includes(user));
  if (added.length === 0 && removed.length === 0) return;
  issue.assignees = [...people];
  for (const assignee of added) addComment(state, issue, actor, '', { type: 'assignees', assignee });
  for (const assignee of removed) addComment(state, issue, actor, '', { type: 'assignees', assignee, removed: true });
  notifyPeople(state, issue, actor, added);
  tellHooks(state, issue, actor, added.length > 0 ? 'assigned' : 'unassigned', 'assign');
}

export function setLabels(state: State, actor: User, issue: Issue, labels: readonly Label[]): void {
  const same = labels.length === issue.labels.length && labels.every((label) => issue.labels.includes(label));
  if (same) return;
  issue.labels = [...labels];
  addComment(state, issue, actor, '', { type: 'label' });
  tellHooks(state, issue, actor, labels.length === 0 ? 'label_cleared' : 'label_updated', 'label');
}

export function setMilestone(state: State, actor: User, issue: Issue, milestone: Milestone | undefined): void {
  if (issue.milestone === milestone) return;
  issue.milestone = milestone;
  addComment(state, issue, actor, '', { type: 'milestone' });
  tellHooks(state, issue, actor, milestone === undefined ? 'demilestoned' : 'milestoned', 'milestone');
}

/** Title and text; only the text changes the content version. */
export function rewrite(
  state: State,
  actor: User,
  issue: Issue,
  title: string | undefined,
  body: string | undefined,
): void {
  if (title !== undefined && title !== '' && title !== issue.title) {
    issue.title = title;
    addComment(state, issue, actor, '', { type: 'change_title' });
    tellHooks(state, issue, actor, 'edited');
  }
  if (body !== undefined && body !== issue.body) {
    issue.body = body;
    issue.contentVersion += 1;
    issue.updated = state.now();
    notifyMentions(state, issue, actor, body);
    tellHooks(state, issue, actor, 'edited');
  }
}
