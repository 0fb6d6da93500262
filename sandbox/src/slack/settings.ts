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
  /** Of this workspace, only in channels they were invited to. */
  guest?: boolean;
  /** Seconds east of UTC. */
  tzOffset?: number;
  status?: { emoji: string; text: string };
  /** In seconds since 1970. */
  dnd?: { start: number; end: number };
}

export interface SeedChannel {
  id: string;
  name: string;
  kind?: ChannelKind;
  /** Names or ids; default: everyone in the team. */
  members?: string[];
  /** Whether the bot is a member; default: yes. */
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
  /** Scopes the app was installed with; default: all this sandbox knows. */
  scopes?: readonly string[];
  /** Whether the optional history scopes were granted; only used without `scopes`. */
  historyScopes?: boolean;
  /** The app's slash commands, bot events and unfurl domains; default: all (but no domain). */
  commands?: readonly string[];
  events?: readonly string[];
  unfurlDomains?: readonly string[];
  /** Whether the app has Work Objects enabled; default: yes. */
  workObjects?: boolean;
  mode?: 'socket' | 'http';
  requestUrl?: string;
  clock?: () => number;
  limits?: boolean | RateOptions;
  /** How long it waits for an acknowledgement, and at least how long a form can be opened; default: Slack's 3 seconds. */
  ackTimeoutMs?: number;
  /** Waits before the second, third and fourth attempt of an event. */
  eventRetryMs?: readonly number[];
  /** Mentions that may be live without being recorded; default: all but broadcasts and user groups. */
  allowMention?: (mention: Mention) => boolean;
  oauth?: { clientId: string; clientSecret: string };
  host?: string;
  port?: number;
}

export const everyScope = [
  ...[
    'commands',
    'chat:write',
    'im:write',
    'mpim:write',
    'users:read',
    'users:read.email',
    'usergroups:read',
    'dnd:read',
  ],
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
