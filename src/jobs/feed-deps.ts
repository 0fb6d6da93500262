import type { PolicyFile } from '../config.js';
import type { Poster } from '../feed/ports.js';
import type { Api, OperationName } from '../forge/index.js';
import type { Log } from '../log.js';
import type { ChannelFacts, Connection, Person, Rate, Store } from '../store/index.js';
import type { Zone } from '../wall-clock.js';

/** What the feed needs from Slack besides posting. */
interface SlackFacts {
  /** A direct message is visible only if it is the bot's own: with this person, or one it opened before. */
  channel(id: string, user?: string): Promise<ChannelFacts | undefined>;
  user(id: string): Promise<{ readonly zone: Zone; readonly deleted: boolean } | undefined>;
  directMessage(user: string): Promise<string>;
}

/** Slack's rate limits and our own timeouts; tests shorten them. */
export interface FeedTempo {
  readonly leaseMs: number;
  /** How long Slack may take to show a post whose outcome is unknown. */
  readonly confirmMs: number;
  /** How long a claimed source may stay silent before another worker takes over. */
  readonly holdMs: number;
  /** When to poll again for the missing half of an action. */
  readonly soonMs: number;
  readonly tickMs: number;
  readonly sweepMs: number;
  readonly reconcileMs: number;
  readonly posts: { readonly team: Rate; readonly channel: Rate };
  readonly updates: Rate;
}

const usualTempo: Omit<FeedTempo, 'leaseMs' | 'holdMs'> = {
  confirmMs: 3_000,
  soonMs: 1_000,
  tickMs: 1_000,
  sweepMs: 5_000,
  reconcileMs: 30_000,
  // a few hundred a minute in a workspace, one a second in a channel, both with short bursts
  posts: { team: { intervalMs: 200, burst: 20 }, channel: { intervalMs: 1_000, burst: 3 } },
  // fifty a minute
  updates: { intervalMs: 1_200, burst: 10 },
};

/** More often than workers happen to restart while they read one source or post one message. */
export const mostDeaths = 5;

export interface FeedDeps {
  readonly store: Store;
  /** Reads as the bot's own account. */
  readonly service: Api;
  has(operation: OperationName): Promise<boolean>;
  /** As a linked person, for their own notifications; undefined if they are no longer linked. */
  as(person: Person): Promise<Api | undefined>;
  readonly poster: Poster;
  readonly slack: SlackFacts;
  readonly people: {
    slackUserOf(team: string, login: string): Promise<string | undefined>;
    loginOf(person: Person): Promise<string | undefined>;
  };
  readonly policy: PolicyFile;
  /** As people type it. */
  readonly slash: string;
  readonly team: string;
  readonly log: Log;
  readonly now: () => number;
  /** The forge's own clock, from its last answer; undefined before the first. */
  readonly forgeNow: () => number | undefined;
  readonly random: () => number;
  /** The operator lets the forge send webhooks. */
  readonly hooked: boolean;
  readonly tempo: FeedTempo;
  /** Counts something for operators. */
  count(name: FeedCount, amount?: number): void;
}

type FeedCount =
  | 'polls'
  | 'requests'
  | 'events'
  | 'posts'
  | 'updates'
  | 'digests'
  | 'settled'
  | 'repeated'
  | 'withheld'
  | 'aside'
  | 'capped';

export interface FeedOptions
  extends Pick<
      FeedDeps,
      'store' | 'service' | 'has' | 'as' | 'poster' | 'slack' | 'people' | 'policy' | 'team' | 'log'
    >,
    Partial<Pick<FeedDeps, 'now' | 'forgeNow' | 'random' | 'count' | 'slash' | 'hooked'>> {
  readonly connection: Connection;
  readonly tempo?: Partial<FeedTempo>;
  readonly concurrency?: { readonly polls?: number; readonly deliveries?: number };
}

export function withDefaults(options: FeedOptions): FeedDeps {
  const leaseMs = options.policy.feed.takeoverSeconds * 1_000;
  return {
    ...options,
    has: (operation) => options.has(operation),
    as: (person) => options.as(person),
    now: options.now ?? Date.now,
    forgeNow: options.forgeNow ?? (() => undefined),
    random: options.random ?? Math.random,
    hooked: options.hooked ?? false,
    count: options.count ?? (() => {}),
    slash: options.slash ?? '/forge',
    tempo: { ...usualTempo, leaseMs, holdMs: leaseMs, ...options.tempo },
  };
}
