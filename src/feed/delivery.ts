import type { KnownBlock } from '@slack/types';
import type { Message } from '../view/message.js';
import type { Event, RunNow } from './event.js';
import type { Style } from './filter.js';
import type { ItemState } from './item.js';
import type { Kind, KindIn } from './kind.js';
import type { Fix } from './standing.js';

/** An event on its way to one channel; drawn only when it is posted. */
export interface EventDelivery {
  readonly type: 'event';
  readonly event: Event;
  readonly item?: ItemState;
  /** The subscription's id; none for a person's own notifications. */
  readonly subscription?: string;
  readonly style: Style;
  readonly threaded: boolean;
  /** It came while the channel was paused: posted in a digest afterwards. */
  readonly calm?: true;
}

/** The card of an item is drawn again. */
export interface UpdateDelivery {
  readonly type: 'update';
  readonly thread: string;
  /** The notification behind the card was read, or is unread again. */
  readonly read?: boolean;
  /** What fixed the branch that the run of the card broke. */
  readonly fixed?: Fix;
  /** How the run of the card goes on. */
  readonly run?: RunNow;
  /** The item as it was read at last, where the card was drawn without it. */
  readonly item?: ItemState;
  /** The item stands so now, whatever the card shows. */
  readonly now?: true;
  /** Looked at again before it is drawn; absent where the event that caused it was. */
  readonly of?: Audience;
}

/** The repository a message speaks of and the subscription that shows it: the gate looks at both. */
export interface Audience {
  readonly repo: { readonly id: number; readonly fullName: string; readonly hidden: boolean };
  readonly subscription: string;
}

/** A finished message: a word to an owner, a person's own reminder, an approval card. */
export interface MessageDelivery {
  readonly type: 'message';
  readonly message: Message;
  /** Posted under this name once; later messages of the name take its place. */
  readonly card?: string;
  /** A reply in the thread of the card of this name. */
  readonly under?: string;
  readonly of?: Audience;
}

/** What waits in one repository, row by row. */
export interface ReminderPart {
  readonly repo: { readonly id: number; readonly fullName: string; readonly hidden: boolean };
  readonly total: number;
  readonly rows: readonly (readonly KnownBlock[])[];
}

/** Put together when it is sent, of what may be shown then. */
export interface ReminderDelivery {
  readonly type: 'reminder';
  /** The Slack user who created it and is responsible for what it shows. */
  readonly owner: string;
  readonly parts: readonly ReminderPart[];
}

export type Delivery = EventDelivery | UpdateDelivery | MessageDelivery | ReminderDelivery;

/** How an issue or pull request comes into a channel: created there, or it began to match. */
type Opening = 'created' | 'matches';
const opening: { readonly [K in Kind]?: Opening | undefined } = {
  'issues:opened': 'created',
  'issues:labeled': 'matches',
  'issues:closed': undefined,
  'issues:reopened': undefined,
  'pulls:opened': 'created',
  'pulls:labeled': 'matches',
  'pulls:ready': undefined,
  'pulls:closed': undefined,
  'pulls:merged': undefined,
  'pulls:reopened': undefined,
} satisfies Record<KindIn<'issues' | 'pulls'>, Opening | undefined>;

/** A comment is told once in a place, whether it comes from the feed or as a notification. */
export const commentDelivery = ({ id }: { readonly id: number }, comment: number | string): string =>
  `comment:r${id}-${comment}`;

/** An item is opened in a channel once, whether it was created there or began to match later. */
export function deliveryId(event: Event): string {
  if (opening[event.kind] && event.item.thread) return `opened:${event.item.thread}`;
  if ('comment' in event && event.comment !== undefined) return commentDelivery(event.repo, event.comment);
  return event.deed ?? event.id;
}

export const startsToMatch = (event: Event): boolean => opening[event.kind] === 'matches';
