import type { Mention } from './mentions.js';
import type { ChannelKind, Team } from './model.js';
import type { RateOptions } from './rate.js';

export interface SeedUser {
  id: string;
  name: string;
  realName?: string;
  email?: string;
  teamId?: string;
  deleted?: boolean;
  isBot?: boolean;
  /** Of this workspace, in the channels somebody let them into. */
  guest?: boolean;
  /** Seconds east of UTC. */
  tzOffset?: number;
}

export interface SeedChannel {
  id: string;
  name: string;
  kind?: ChannelKind;
  /** Person names or ids; everyone of the team when left out. */
  members?: string[];
  /** Whether the bot is in; yes when left out. */
  bot?: boolean;
  sharedWith?: string[];
  archived?: boolean;
}

export interface Seed {
  team?: Partial<Team>;
  users?: SeedUser[];
  channels?: SeedChannel[];
  userGroups?: { id: string; handle: string; name?: string; users: string[] }[];
}

export interface SlackOptions {
  seed?: Seed;
  tokens?: { bot?: string; app?: string; signingSecret?: string };
  /** Scopes the app was installed with; everything this sandbox knows when left out. */
  scopes?: readonly string[];
  /** Whether the optional history scopes were granted; only read when `scopes` is left out. */
  historyScopes?: boolean;
  /** Slash commands, bot events and unfurl domains of the app; all when left out (no domain, though). */
  commands?: readonly string[];
  events?: readonly string[];
  unfurlDomains?: readonly string[];
  /** Whether the app has Work Objects turned on; it has when left out. */
  workObjects?: boolean;
  mode?: 'socket' | 'http';
  requestUrl?: string;
  clock?: () => number;
  limits?: boolean | RateOptions;
  ackTimeoutMs?: number;
  /** Waits before the second, third and fourth try of an event. */
  eventRetryMs?: readonly number[];
  /** Mentions that may go live without being noted; anything but broadcasts and user groups when left out. */
  allowMention?: (mention: Mention) => boolean;
  oauth?: { clientId: string; clientSecret: string };
  host?: string;
  port?: number;
}

export const everyScope = [
  ...['commands', 'chat:write', 'im:write', 'mpim:write', 'users:read', 'users:read.email', 'usergroups:read'],
  ...['channels:read', 'groups:read', 'im:read', 'mpim:read', 'channels:join', 'channels:manage', 'team:read'],
  ...['links:read', 'links:write', 'app_mentions:read'],
] as const;

export const historyScopes = ['channels:history', 'groups:history', 'im:history', 'mpim:history'] as const;

export const defaultSeed = {
  users: [
    { id: 'U0ADA00001', name: 'ada', realName: 'Ada', email: 'ada@example.test' },
    { id: 'U0GRACE001', name: 'grace', realName: 'Grace', email: 'grace@example.test' },
    { id: 'U0ALAN0001', name: 'alan', realName: 'Alan', email: 'alan@example.test' },
  ],
  channels: [
    { id: 'C0GENERAL1', name: 'general' },
    { id: 'C0ENGINE01', name: 'engine' },
    { id: 'C0PRIVATE1', name: 'private', kind: 'private' },
  ],
} satisfies Seed;
