import type { Issue } from '../forge/schemas/issue.js';
import type { PullRequest } from '../forge/schemas/pull.js';
import type { User } from '../forge/schemas/user.js';
import type { Actor, Event } from './event.js';

/** An issue or pull request as it is now, not as it was when the event happened. */
export interface ItemState {
  readonly kind: 'issue' | 'pull';
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly author: Actor | null;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly reviewers: readonly string[];
  readonly base?: string;
  readonly head?: string;
  readonly milestone?: string;
}

/** Issues and pull requests share their numbers, so one key fits both. */
export const itemThread = (repo: number, number: number): string => `r${repo}-n${number}`;
export const runThread = (run: number): string => `run-${run}`;

const botName = /(?:\[bot\]|-bot)$/i;

const isBot = (user: { readonly login: string; readonly type?: string | undefined }): boolean =>
  user.type?.toLowerCase() === 'bot' || botName.test(user.login);

export function actorOf(user: User | undefined): Actor | null {
  return user === undefined ? null : { id: user.id, login: user.login, bot: isBot(user) };
}

const common = (of: Issue | PullRequest) => ({
  number: of.number,
  title: of.title,
  url: of.html_url,
  author: actorOf(of.user),
  labels: of.labels.map(({ name }) => name),
  assignees: of.assignees.map(({ login }) => login),
  ...(of.milestone && { milestone: of.milestone.title }),
});

export function issueState(issue: Issue): ItemState {
  const pull = issue.pull_request;
  return {
    ...common(issue),
    kind: pull ? 'pull' : 'issue',
    state: pull?.merged ? 'merged' : issue.state,
    draft: pull?.draft ?? false,
    reviewers: [],
  };
}

export function pullState(pull: PullRequest): ItemState {
  return {
    ...common(pull),
    kind: 'pull',
    state: pull.merged ? 'merged' : (pull.state ?? 'open'),
    draft: pull.draft,
    reviewers: pull.requested_reviewers.map(({ login }) => login),
    ...(pull.base?.ref && { base: pull.base.ref }),
    ...(pull.head?.ref && { head: pull.head.ref }),
  };
}

/** Whether the event is about an issue or pull request, whose state is worth reading. */
export const aboutItem = (event: Event): boolean => event.item.kind === 'issue' || event.item.kind === 'pull';
