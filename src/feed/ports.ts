import type { Look } from '../view/look.js';
import type { Message } from '../view/message.js';
import type { Event } from './event.js';
import type { Standing } from './standing.js';

/** What drawing an event needs from outside; all of it is known beforehand, so drawing stays pure. */
export interface DrawPorts {
  readonly now: Date;
  /** The Slack user of a forge login, if known. */
  mention(login: string): string | undefined;
  /** The Slack user group of a team `org/team`, if it should be mentioned. */
  group(team: string): string | undefined;
  /** Controls that act as the person who clicks; the caller knows the commands, the feed does not. */
  actions(event: Event, standing: Standing): Controls;
}

export type Controls = Pick<Look, 'buttons' | 'menu'>;

export const plainPorts = (now: Date): DrawPorts => ({
  now,
  mention: () => undefined,
  group: () => undefined,
  actions: () => ({}),
});

/** What a webhook says about the activity in its repository, beside where that is. */
export interface Announcement {
  readonly ownerId?: number | undefined;
  /** The logins it names. */
  readonly people?: readonly string[];
  /** The commit that was checked. */
  readonly checked?: string | undefined;
  /** It is about an issue or pull request, whose labels and drafts are in no feed. */
  readonly hasItem?: boolean;
  /** A review was requested or withdrawn: that is in no feed, so only the item and its people are read. */
  readonly isRequest?: boolean;
}

export interface Spot {
  readonly team: string;
  readonly channel: string;
}

export interface Posting {
  readonly message: Message;
  /** Goes into the message's metadata, so that it can be found again. */
  readonly id: string;
  readonly thread?: string | undefined;
}

/** Slack as the outbox sees it. Every failure is a PostError. */
export interface Poster {
  post(spot: Spot, posting: Posting): Promise<{ readonly ts: string }>;
  update(spot: Spot, ts: string, message: Message): Promise<void>;
  /** Looks for an earlier post since then; `unreadable` if the app may not read history. */
  find(
    spot: Spot,
    wanted: { readonly id: string; readonly since: number; readonly thread?: string | undefined },
  ): Promise<{ readonly ts: string } | 'absent' | 'unreadable'>;
}

/**
 * limited: retry later, nothing happened. unknown: it may have happened. message: Slack refuses this message in this form.
 * gone: the thread or card no longer exists. channel: nothing works here until someone acts. token: the bot itself is
 * refused. unlisted: nothing happened, for an unknown reason.
 */
export type PostFailure = 'limited' | 'unknown' | 'message' | 'gone' | 'channel' | 'token' | 'unlisted';

export class PostError extends Error {
  override readonly name = 'PostError';
  readonly kind: PostFailure;
  /** Slack's error code. */
  readonly code: string;
  readonly retryAfterMs: number;

  constructor(kind: PostFailure, code: string, retryAfterMs = 0) {
    super(`Slack: ${code}`);
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
