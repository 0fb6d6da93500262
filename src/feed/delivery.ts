import type { KnownBlock } from '@slack/types';
import type { Person } from '../store/index.js';
import type { Message } from '../view/message.js';
import type { Event, Kind, KindIn, RunNow, Unit } from './event.js';
import type { Style } from './filter.js';
import type { ItemState } from './item.js';
import type { Fix } from './standing.js';

/** An event queued for one channel; drawn only when it is posted. */
export interface EventDelivery {
  readonly type: 'event';
  readonly event: Event;
  readonly item?: ItemState;
  /** The subscription's id; absent for personal notifications. */
  readonly subscription?: string;
  readonly style: Style;
  readonly threaded: boolean;
  /** It came while the channel was paused: posted later in a digest. */
  readonly canWait?: true;
}

/** Redraws an item's card. */
export interface UpdateDelivery {
  readonly type: 'update';
  readonly thread: string;
  /** The notification behind the card was read, or is unread again. */
  readonly read?: boolean;
  /** When the forge was asked that: an older answer changes nothing. */
  readonly asOf?: number;
  /** What fixed the branch that the card's run broke. */
  readonly fixed?: Fix;
  /** The current state of the card's run. */
  readonly run?: RunNow;
  /** The item, read later because the card was drawn without it. */
  readonly item?: ItemState;
  /** This is the item's current state, whatever the card shows. */
  readonly now?: true;
  /** Checked again before drawing; absent if the causing event's was. */
  readonly of?: Audience;
}

/** The repository a message is about, the parts it shows and its subscription: the gate checks them. */
export interface Audience {
  readonly units: readonly Unit[];
  readonly repo: { readonly id: number; readonly fullName: string; readonly hidden: boolean };
  readonly subscription: string;
}

/** A requested review that a message is about. */
export interface AwaitedReview {
  readonly repo: { readonly id: number; readonly fullName: string };
  readonly index: number;
  /** Of this person, or else of this team. */
  readonly login?: string;
  readonly team?: string;
  /** With whose account it is checked; absent: shown only where everyone may see it. */
  readonly by?: Person;
  /** They are who may see it here; otherwise the reviewer must. */
  readonly own?: true;
  /** Not sent later than this. */
  readonly until?: number;
}

/** A finished message: a note to an owner, a personal reminder, an approval card. */
export interface MessageDelivery {
  readonly type: 'message';
  readonly message: Message;
  /** Posted once under this name; later messages of that name replace it. */
  readonly card?: string;
  /** A reply in the thread of this card. */
  readonly under?: string;
  readonly of?: Audience;
  /** Posted only while this is still waiting. */
  readonly awaits?: AwaitedReview;
}

/** A bot's open pull request, as it was when it was read. */
export interface BotPull {
  readonly repository: string;
  readonly index: number;
  readonly title: string;
  readonly url: string;
  readonly head: string;
  readonly state: 'green' | 'red' | 'open';
}

/** Pending items of one repository, row by row. */
export interface ReminderPart {
  readonly repo: { readonly id: number; readonly fullName: string; readonly hidden: boolean };
  readonly total: number;
  readonly rows: readonly (readonly KnownBlock[])[];
  /** Instead of rows. */
  readonly bots?: readonly BotPull[];
}

/** Put together when it is sent, from what may be shown then. */
export interface ReminderDelivery {
  readonly type: 'reminder';
  /** The Slack user who created it and is responsible for what it shows. */
  readonly owner: string;
  readonly parts: readonly ReminderPart[];
}

export type Delivery = EventDelivery | UpdateDelivery | MessageDelivery | ReminderDelivery;

/** How an issue or pull request enters a channel: created, or it started to match. */
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

/** A comment is posted once per place, whether from the feed or as a notification. */
export const commentDelivery = ({ id }: { readonly id: number }, comment: number | string): string =>
  `comment:r${id}-${comment}`;

/** An item is opened in a channel once, whether it was created or started to match later. */
export function deliveryId(event: Event): string {
  if (opening[event.kind] && event.item.thread) return `opened:${event.item.thread}`;
  if ('comment' in event && event.comment !== undefined) return commentDelivery(event.repo, event.comment);
  return event.action ?? event.id;
}

/** No channel shows its item yet. */
export const isCreation = (event: Event): boolean => opening[event.kind] === 'created';

export const startsToMatch = (event: Event): boolean => opening[event.kind] === 'matches';
