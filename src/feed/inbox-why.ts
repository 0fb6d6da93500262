import type { Comment } from '../forge/schemas/comment.js';
import type { PullReview } from '../forge/schemas/review.js';
import type { Event, EventOf, Kind } from './event.js';
import { actorOf, type ItemState } from './item.js';

export type InboxEvent = EventOf<Extract<Kind, `inbox:${string}`>>;

export const isInbox = (event: Event): event is InboxEvent => event.kind.startsWith('inbox:');

/** A notification is written within this time of the comment that caused it, even by a busy forge. */
export const causedMs = 60_000;
/** What closed the item came later than a comment that old. */
const closedMs = 1_500;

/** What happened, as the thing itself says it now; searches also find what was asked long ago. */
export function withReason(
  event: InboxEvent,
  item: ItemState | undefined,
  said: { readonly comment?: Comment | undefined; readonly review?: PullReview | undefined },
  login: string | undefined,
): InboxEvent {
  const { comment, review } = said;
  const state = item?.state ?? event.state;
  const ended = state === 'closed' || state === 'merged';
  const age = comment?.created_at ? Date.parse(event.at) - comment.created_at.getTime() : Number.POSITIVE_INFINITY;
  if (comment && age <= (ended ? closedMs : causedMs)) {
    const own = isOwn(item, login) ? 'inbox:replied' : 'inbox:activity';
    const kind = addresses(comment.body, login) ? 'inbox:mentioned' : own;
    const words = comment.body.slice(0, 2_000);
    return { ...event, kind, actor: actorOf(comment.user), did: 'commented', words };
  }
  if (ended) return { ...event, kind: 'inbox:activity', state, did: state };
  if (!item || login === undefined) return event;
  const did = review && reviewed.get(review.state);
  if (review && did && isOwn(item, login))
    return { ...event, kind: 'inbox:replied', actor: actorOf(review.user), did, words: review.body.slice(0, 2_000) };
  // whoever opened it a moment ago also asked
  const opener = isNew(event, item) && item.author?.login !== login ? item.author : null;
  if (named(item.reviewers, login)) return { ...event, kind: 'inbox:review_requested', actor: opener };
  if (named(item.assignees, login)) return { ...event, kind: 'inbox:assigned', actor: opener };
  return event.kind === 'inbox:mentioned' ? event : { ...event, kind: 'inbox:activity' };
}

const reviewed: ReadonlyMap<string, NonNullable<InboxEvent['did']>> = new Map([
  ['APPROVED', 'approved'],
  ['REQUEST_CHANGES', 'rejected'],
  ['COMMENT', 'reviewed'],
] as const);

/** Opened by the person, or assigned to them. */
function isOwn(item: ItemState | undefined, login: string | undefined): boolean {
  if (!item || login === undefined) return false;
  return named([...item.assignees, ...(item.author ? [item.author.login] : [])], login);
}

const isNew = (event: InboxEvent, { createdAt }: ItemState): boolean =>
  createdAt !== undefined && Date.parse(event.at) - Date.parse(createdAt) <= causedMs;

const named = (logins: readonly string[], login: string): boolean =>
  logins.some((each) => each.toLowerCase() === login.toLowerCase());

function addresses(text: string, login: string | undefined): boolean {
  if (login === undefined) return false;
  const named = text.matchAll(/@([\w.-]{1,100})/g);
  return [...named].some(([, name = '']) => name.replace(/[.-]+$/, '').toLowerCase() === login.toLowerCase());
}
