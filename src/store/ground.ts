import type { Keys } from './keys.js';
import type { Connection } from './redis.js';
import type { Seal } from './seal.js';

/** What every part of the store stands on. */
export interface Ground {
  readonly redis: Connection;
  readonly forge: string;
  readonly keys: Keys;
  readonly seal: Seal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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
