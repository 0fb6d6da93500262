import type { PolicyFile } from '../config.js';
import { type Unit, unitWords } from './event.js';

/** What Slack says about a channel, as stored. */
export interface Audience {
  readonly kind: 'public' | 'private' | 'dm' | 'group';
  /** With another organization. */
  readonly shared: boolean;
}

export type Exposure =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: ExposureReason; readonly words: string };
type ExposureReason = 'shared' | 'hidden-in-public' | 'unknown-channel' | 'unseen' | 'unread' | 'unfollowed';

/** Readable by everyone in the workspace, or by strangers. */
export const isOpen = ({ kind, shared }: Audience): boolean => kind === 'public' || shared;

/** Whether this repository may be shown to everyone in this channel. Checked when subscribing, sending and unfurling. */
export function exposure(
  repo: { readonly hidden: boolean },
  channel: Audience | undefined,
  policy: PolicyFile['exposure'],
): Exposure {
  if (channel === undefined)
    return refuse(
      'unknown-channel',
      'Slack does not say who can read this channel. Invite the bot to it and try again.',
    );
  if (channel.shared && policy.externallyShared === 'refuse') {
    return refuse(
      'shared',
      'This channel is shared with another organization. Use an internal channel, or ask an admin to allow it with exposure.externallyShared.',
    );
  }
  if (isOpen(channel) && repo.hidden && policy.privateToPublic === 'refuse') {
    return refuse(
      'hidden-in-public',
      'The repository is private and everyone can read this channel. Use a private channel, or ask an admin to allow it with exposure.privateToPublic.',
    );
  }
  return { allowed: true };
}

/** The bot sees it but the person responsible for showing it does not. */
export const unseen = {
  allowed: false,
  reason: 'unseen',
  words: 'Its owner can no longer see the repository. Someone who can see it needs to take it over.',
} as const satisfies Exposure;

/** The person responsible sees the repository, but not this part of it: only this is left out. */
export const unread = (unit: Unit): Exposure => ({
  allowed: false,
  reason: 'unread',
  words: `Its owner can’t see the ${unitWords[unit]} of the repository.`,
});

/** It was queued before the channel's last subscription to it ended. */
export const unfollowed: Exposure = {
  allowed: false,
  reason: 'unfollowed',
  words: 'This channel is no longer subscribed to the repository.',
};

const refuse = (reason: ExposureReason, words: string): Exposure => ({ allowed: false, reason, words });
