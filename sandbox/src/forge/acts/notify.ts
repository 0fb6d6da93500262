import { access } from '../state/access.js';
import { findUser } from '../state/find.js';
import type { User } from '../state/people.js';
import type { Issue, Repo } from '../state/repo.js';
import { changed, type State } from '../state/state.js';

function touch(state: State, user: User, repo: Repo, issue: Issue | undefined): void {
  const existing = [...state.threads.values()].find(
    (thread) => thread.user === user && thread.repo === repo && thread.issue === issue,
  );
  if (existing !== undefined) {
    if (existing.status === 'read') existing.status = 'unread';
    existing.updated = state.now();
  } else {
    const id = state.nextId('thread');
    state.threads.set(id, { id, user, repo, issue, status: 'unread', updated: state.now() });
  }
  changed(state, 'notification', repo);
}

/** Notifies only named people: an assignee, a reviewer, someone mentioned. Never the one who acted. */
export function notifyPeople(state: State, issue: Issue, actor: User, people: Iterable<User>): void {
  const unit = issue.pull === undefined ? 'issues' : 'pulls';
  for (const user of new Set(people)) {
    if (user === actor || user.kind === 'Organization') continue;
    if (access(state, user, issue.repo, unit) !== 'none') touch(state, user, issue.repo, issue);
  }
}

/** Everyone concerned: watchers, its author, commenters, assignees. */
export function notifyAll(state: State, issue: Issue, actor: User): void {
  notifyPeople(state, issue, actor, [
    ...issue.repo.watchers,
    issue.poster,
    ...issue.assignees,
    ...issue.comments.flatMap((comment) =>
      comment.kind === 'text' || comment.kind === 'review' ? comment.poster : [],
    ),
  ]);
}

export function notifyMentions(state: State, issue: Issue, actor: User, text: string): void {
  const named = [...text.matchAll(/(?<![\w/])@([\w.-]*\w)/g)].flatMap(([, login = '']) => findUser(state, login) ?? []);
  for (const user of named) issue.mentioned.add(user);
  notifyPeople(state, issue, actor, named);
}

export function notifyAboutRepo(state: State, repo: Repo, people: Iterable<User>): void {
  for (const user of people) touch(state, user, repo, undefined);
}
