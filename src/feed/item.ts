import { teamPath } from '../config/file.js';
import type { Issue, PullRequest, PullReview, User } from '../forge/schemas.js';
import type { Actor, Event } from './event.js';

/** An issue or pull request as it is now, not as it was at the event. */
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
  /** Teams whose review is requested, as `org/team`. */
  readonly teams?: readonly string[];
  readonly base?: string;
  readonly head?: string;
  readonly milestone?: string;
  readonly createdAt?: string;
  /** The first words of its description. */
  readonly excerpt?: string;
  readonly size?: { readonly additions: number; readonly deletions: number; readonly files: number };
  /** Who approved and who requested changes, from the forge; absent if not read. */
  readonly verdicts?: { readonly approvedBy?: readonly string[]; readonly rejectedBy?: readonly string[] };
  readonly checks?: Checks;
  /** The commit they belong to. */
  readonly sha?: string;
  /** When the forge said so. */
  readonly readAt?: number;
}

/** What waited in a queue may have been read before what the card already shows. */
export const isOlder = (item: ItemState, than: ItemState | undefined): boolean =>
  item.readAt !== undefined && than?.readAt !== undefined && item.readAt < than.readAt;

/** The commit statuses of a pull request's head. */
export interface Checks {
  readonly total: number;
  readonly passed: number;
  /** By name; the first few. */
  readonly failed: readonly string[];
}

/** Issues and pull requests share numbers, so one key fits both. */
export const itemThread = (repo: number, number: number): string => `r${repo}-n${number}`;
/** Undefined for the thread of anything else. */
export function readItemThread(thread: string): { readonly repo: number; readonly number: number } | undefined {
  const [, repo, number] = /^r(\d+)-n(\d+)$/.exec(thread) ?? [];
  return repo === undefined ? undefined : { repo: Number(repo), number: Number(number) };
}
export const runThread = (run: number): string => `run-${run}`;

const botName = /(?:\[bot\]|-bot)$/i;

/** `named`: further logins, as configured. */
export const isBot = (
  { type, login }: { readonly login: string; readonly type?: string | undefined },
  named: readonly string[] = [],
): boolean =>
  type?.toLowerCase() === 'bot' ||
  botName.test(login) ||
  named.some((each) => each.toLowerCase() === login.toLowerCase());

export const markBot = <E extends Event>(event: E, named: readonly string[]): E =>
  event.actor && isBot(event.actor, named) ? { ...event, actor: { ...event.actor, bot: true } } : event;

export function actorOf(user: User | undefined): Actor | null {
  return user === undefined ? null : { id: user.id, login: user.login, bot: isBot(user) };
}

/** More than is shown, because markup is removed. */
const excerptMax = 600;

const common = (of: Issue | PullRequest) => ({
  number: of.number,
  title: of.title,
  url: of.html_url,
  author: actorOf(of.user),
  labels: of.labels.map(({ name }) => name),
  assignees: of.assignees.map(({ login }) => login),
  ...(of.milestone && { milestone: of.milestone.title }),
  ...(of.created_at && { createdAt: of.created_at.toISOString() }),
  ...(of.body.trim() !== '' && { excerpt: of.body.slice(0, excerptMax) }),
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

/** A deleted branch is known only by its label: `grace:try-10`. */
function headOf({ head }: PullRequest): string | undefined {
  const ref = head?.ref.startsWith('refs/') ? head.label : head?.ref;
  return ref === '' || ref?.startsWith('refs/') ? undefined : ref;
}

export function pullState(pull: PullRequest): ItemState {
  const head = headOf(pull);
  const repository = pull.base?.repo?.full_name;
  const teams = pull.requested_reviewers_teams.map((team) => teamPath(team, repository));
  return {
    ...common(pull),
    kind: 'pull',
    state: pull.merged ? 'merged' : (pull.state ?? 'open'),
    draft: pull.draft,
    reviewers: pull.requested_reviewers.map(({ login }) => login),
    ...(teams.length > 0 && { teams }),
    ...(pull.base?.ref && { base: pull.base.ref }),
    ...(head !== undefined && { head }),
    ...(pull.head?.sha && { sha: pull.head.sha }),
    ...(pull.additions !== undefined &&
      pull.deletions !== undefined && {
        size: { additions: pull.additions, deletions: pull.deletions, files: pull.changed_files ?? 0 },
      }),
  };
}

/** Each reviewer's last verdict counts; an approval only if the forge counts it. */
export function verdictsOf(reviews: readonly PullReview[]): NonNullable<ItemState['verdicts']> {
  const last = new Map<string, string>();
  for (const { state, user, dismissed, official } of [...reviews].sort((a, b) => a.id - b.id)) {
    if (!user) continue;
    if (dismissed || (state === 'APPROVED' && !official)) last.delete(user.login);
    else if (state === 'APPROVED' || state === 'REQUEST_CHANGES') last.set(user.login, state);
  }
  const by = (wanted: string) => [...last].filter(([, state]) => state === wanted).map(([login]) => login);
  const [approvedBy, rejectedBy] = [by('APPROVED'), by('REQUEST_CHANGES')];
  return { ...(approvedBy.length > 0 && { approvedBy }), ...(rejectedBy.length > 0 && { rejectedBy }) };
}

/** Whether the event is about an issue or pull request, whose state is worth reading. */
export const aboutItem = (event: Event): boolean => event.item.kind === 'issue' || event.item.kind === 'pull';
