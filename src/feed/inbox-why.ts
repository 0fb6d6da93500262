import type { Comment, PullReview, TimelineEntry } from '../forge/schemas.js';
import type { Actor, Event, EventOf, Kind } from './event.js';
import { actorOf, type ItemState } from './item.js';

export type InboxEvent = EventOf<Extract<Kind, `inbox:${string}`>>;

export const isInbox = (event: Event): event is InboxEvent => event.kind.startsWith('inbox:');

/** Even a busy forge writes a notification within this time of the comment that caused it. */
export const causedMs = 60_000;
/** A comment older than this did not come with the closing. */
const closedMs = 1_500;

/** What was read about the item; each part only if it could be. */
interface Said {
  readonly comment?: Comment | undefined;
  readonly review?: PullReview | undefined;
  /** Recent events, oldest first. */
  readonly entries?: readonly TimelineEntry[] | undefined;
}

/** What happened, according to the item now; searches also find old requests. */
export function withReason(
  event: InboxEvent,
  item: ItemState | undefined,
  { comment, review, entries }: Said,
  login: string | undefined,
): InboxEvent {
  const state = item?.state ?? event.state;
  const ended = state === 'closed' || state === 'merged';
  const age = comment?.created_at ? Date.parse(event.at) - comment.created_at.getTime() : Number.POSITIVE_INFINITY;
  if (comment && age <= (ended ? closedMs : causedMs)) {
    const own = isOwn(item, login) ? 'inbox:replied' : 'inbox:activity';
    const kind = addresses(comment.body, login) ? 'inbox:mentioned' : own;
    const words = comment.body.slice(0, 2_000);
    return { ...event, kind, actor: actorOf(comment.user), did: 'commented', words };
  }
  if (ended) {
    const actor = actorOf(lastDeed(event, entries)?.user);
    const toAuthor = item?.author && login !== undefined && isNamed([item.author.login], login);
    const kind = toAuthor && actor?.login !== item.author?.login ? 'inbox:replied' : 'inbox:activity';
    return { ...event, kind, state, did: state, actor };
  }
  if (!item || login === undefined) return event;
  const did = review && reviewed.get(review.state);
  if (review && did && isOwn(item, login))
    return { ...event, kind: 'inbox:replied', actor: actorOf(review.user), did, words: review.body.slice(0, 2_000) };
  const opener = isNew(event, item) && item.author?.login !== login ? item.author : null;
  return entries ? byEntries(event, entries, opener) : byState(event, item, login, opener);
}

/** Requests to the reader have entries of their own, with their own time. */
function byEntries(event: InboxEvent, entries: readonly TimelineEntry[], opener: Actor | null): InboxEvent {
  if (opener && event.kind === 'inbox:mentioned') return { ...event, actor: opener };
  const act = lastDeed(event, entries);
  const did = act && acts.get(act.type);
  if (act && did && !opener) return { ...event, kind: 'inbox:activity', actor: actorOf(act.user), did };
  return { ...event, kind: 'inbox:activity', ...(opener && { actor: opener, did: 'opened' }) };
}

/** If the forge does not say what happened: the current state. */
function byState(event: InboxEvent, item: ItemState, login: string, opener: Actor | null): InboxEvent {
  if (isNamed(item.reviewers, login)) return { ...event, kind: 'inbox:review_requested', actor: opener };
  if (isNamed(item.assignees, login)) return { ...event, kind: 'inbox:assigned', actor: opener };
  return event.kind === 'inbox:mentioned' ? { ...event, actor: opener } : { ...event, kind: 'inbox:activity' };
}

const acts: ReadonlyMap<string, NonNullable<InboxEvent['did']>> = new Map([
  ['close', 'closed'],
  ['merge_pull', 'merged'],
  ['reopen', 'reopened'],
  ['pull_push', 'pushed'],
] as const);

const lastDeed = ({ at }: InboxEvent, entries: readonly TimelineEntry[] = []): TimelineEntry | undefined =>
  entries.findLast(
    ({ type, created_at }) => acts.has(type) && (created_at?.getTime() ?? 0) >= Date.parse(at) - causedMs,
  );

const reviewed: ReadonlyMap<string, NonNullable<InboxEvent['did']>> = new Map([
  ['APPROVED', 'approved'],
  ['REQUEST_CHANGES', 'rejected'],
  ['COMMENT', 'reviewed'],
] as const);

/** Opened by the person, or assigned to them. */
function isOwn(item: ItemState | undefined, login: string | undefined): boolean {
  if (!item || login === undefined) return false;
  return isNamed([...item.assignees, ...(item.author ? [item.author.login] : [])], login);
}

const isNew = (event: InboxEvent, { createdAt }: ItemState): boolean =>
  createdAt !== undefined && Date.parse(event.at) - Date.parse(createdAt) <= causedMs;

export const isNamed = (logins: readonly string[], login: string): boolean =>
  logins.some((each) => each.toLowerCase() === login.toLowerCase());

function addresses(text: string, login: string | undefined): boolean {
  if (login === undefined) return false;
  const named = text.matchAll(/@([\w.-]{1,100})/g);
  return [...named].some(([, name = '']) => name.replace(/[.-]+$/, '').toLowerCase() === login.toLowerCase());
}

/** The kinds of personal messages people choose in their settings, and whether each is on by default. */
const messageKinds = {
  review_requested: true,
  assigned: true,
  mentioned: true,
  replied: true,
  run_failed: true,
  broke_branch: false,
  activity: false,
} as const;
export type MessageKind = keyof typeof messageKinds;

const usual: Readonly<Record<string, boolean>> = messageKinds;

export const isWanted = (chosen: Readonly<Record<string, boolean>>, kind: string): boolean =>
  chosen[kind] ?? usual[kind] ?? false;

type Request = Extract<InboxEvent['kind'], 'inbox:review_requested' | 'inbox:assigned'>;

const requests: ReadonlyMap<string, Request> = new Map([
  ['review_request', 'inbox:review_requested'],
  ['assignees', 'inbox:assigned'],
]);

/** Who requested the reader's review or assigned them, once each, however often the thread is updated afterwards. */
export function requestsFor(
  { commentUrl: _, ...event }: InboxEvent,
  item: ItemState | undefined,
  entries: readonly TimelineEntry[],
  login: string | undefined,
): InboxEvent[] {
  if (login === undefined) return [];
  // whether a team's request concerns the reader comes from the forge's own search
  const isForReader = ({ assignee, assignee_team }: TimelineEntry): boolean =>
    assignee
      ? isNamed([assignee.login], login)
      : assignee_team !== undefined && event.kind === 'inbox:review_requested';
  const last = new Map<Request, TimelineEntry>();
  for (const entry of entries) {
    const kind = requests.get(entry.type);
    if (kind && isForReader(entry)) last.set(kind, entry);
  }
  return [...last].flatMap(([kind, { id, user, removed_assignee, created_at }]): InboxEvent[] => {
    if (removed_assignee || (user && isNamed([user.login], login)) || !isOpen(kind, item, login)) return [];
    const at = created_at?.toISOString() ?? event.at;
    return [{ ...event, id: `${event.source}:asked.${id}`, at, kind, actor: actorOf(user) }];
  });
}

/** Not answered, withdrawn or superseded since. */
function isOpen(kind: Request, item: ItemState | undefined, login: string): boolean {
  if (!item) return true;
  if (item.state !== 'open') return false;
  return kind === 'inbox:assigned' ? isNamed(item.assignees, login) : isReviewer(item, login, true);
}

/** Whether a review is requested by name or, if the forge says so, through a team. */
export const isReviewer = ({ reviewers, teams = [] }: ItemState, login: string, isAsked: boolean): boolean =>
  isNamed(reviewers, login) || (isAsked && teams.length > 0);
