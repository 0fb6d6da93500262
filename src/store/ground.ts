import type { Keys } from './keys.js';
import type { Connection } from './redis.js';
import type { Seal } from './seal.js';

/** The store's shared dependencies. */
export interface Ground {
  readonly redis: Connection;
  readonly forge: string;
  readonly keys: Keys;
  readonly seal: Seal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For records in Redis that Bellows did not write. */
  readonly alarm: Alarm;
}

/** A person is a workspace and a user in it; names are for display. */
export interface Person {
  readonly team: string;
  readonly user: string;
}

export interface Place {
  readonly team: string;
  readonly channel: string;
}

/** As a member of a set or a field of a hash. */
export const placeName = ({ team, channel }: Place): string => `${team}/${channel}`;

export function readPlaceName(name: string): Place {
  const [team = '', channel = ''] = name.split('/');
  return { team, channel };
}

/** A record in Redis that Bellows did not write, or that was changed, copied or restored since. */
export interface Forged {
  readonly kind:
    | 'job'
    | 'approval'
    | 'vote'
    | 'account'
    | 'pending'
    | 'link offer'
    | 'undo'
    | 'audit'
    | 'deployment'
    | 'subscription'
    | 'handover'
    | 'settings'
    | 'follow'
    | 'drain'
    | 'merge'
    | 'channel'
    | 'reply'
    | 'answer'
    | 'agent';
  readonly id: string;
  readonly reason: string;
  /** Whose it claims to be. */
  readonly person?: Person;
}

/** True only for the first report of a record. */
export type Alarm = (forged: Forged) => boolean;
