import type { Comment } from '../forge/schemas/comment.js';
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
  comment: Comment | undefined,
  login: string | undefined,
): InboxEvent {
  const state = item?.state ?? event.state;
  const ended = state === 'closed' || state === 'merged';
  const age = comment?.created_at ? Date.parse(event.at) - comment.created_at.getTime() : Number.POSITIVE_INFINITY;
  if (comment && age <= (ended ? closedMs : causedMs)) {
    const kind = addresses(comment.body, login) ? 'inbox:mentioned' : 'inbox:activity';
    const words = comment.body.slice(0, 2_000);
    return { ...event, kind, actor: actorOf(comment.user), did: 'commented', words };
  }
  if (ended) return { ...event, kind: 'inbox:activity', state, did: state };
  if (!item || login === undefined) return event;
  if (named(item.reviewers, login)) return { ...event, kind: 'inbox:review_requested' };
  if (named(item.assignees, login)) return { ...event, kind: 'inbox:assigned' };
  return event.kind === 'inbox:mentioned' ? event : { ...event, kind: 'inbox:activity' };
}

const named = (logins: readonly string[], login: string): boolean =>
  logins.some((each) => each.toLowerCase() === login.toLowerCase());

function addresses(text: string, login: string | undefined): boolean {
  if (login === undefined) return false;
  const named = text.matchAll(/@([\w.-]{1,100})/g);
  return [...named].some(([, name = '']) => name.replace(/[.-]+$/, '').toLowerCase() === login.toLowerCase());
}
