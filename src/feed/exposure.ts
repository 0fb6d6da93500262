import type { PolicyFile } from '../config.js';

/** What Slack says of a channel, as the store keeps it. */
export interface Audience {
  readonly kind: 'public' | 'private' | 'dm' | 'group';
  /** With another organisation. */
  readonly shared: boolean;
}

export type Exposure =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: ExposureReason; readonly words: string };
type ExposureReason = 'shared' | 'private-in-public' | 'unknown-channel';

/** May what is in this repository be shown to everyone in this channel? Asked at subscribing, at sending and for unfurls. */
export function exposure(
  repo: { readonly private: boolean },
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
      'This channel is shared with another organisation. Use a channel of your own, or let an admin allow it with exposure.externallyShared.',
    );
  }
  if (channel.kind === 'public' && repo.private && policy.privateToPublic === 'refuse') {
    return refuse(
      'private-in-public',
      'The repository is private and everyone can read this channel. Use a private channel, or let an admin allow it with exposure.privateToPublic.',
    );
  }
  return { allowed: true };
}

const refuse = (reason: ExposureReason, words: string): Exposure => ({ allowed: false, reason, words });
