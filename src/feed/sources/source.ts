import { z } from 'zod';
import type { Page } from '../../forge/operation.js';
import type { Issue, WorkflowRun } from '../../forge/schemas.js';
import type { Event } from '../event.js';
import type { FeedMark } from '../mark.js';

/**
 * repo: a repository's feed. user: one person's activity. owner: an owner's feed, which shows at once which of its
 * repositories had activity. runs: a repository's workflow runs. items: what search knows about an owner's items and feeds
 * do not have. inbox: a person's notifications.
 */
export type Source =
  | { readonly kind: 'repo' | 'runs' | 'user' | 'owner' | 'items'; readonly id: number }
  | { readonly kind: 'inbox'; readonly team: string; readonly user: string };

export const sourceKey = (source: Source): string =>
  source.kind === 'inbox' ? `inbox-${source.team}-${source.user}` : `${source.kind}-${source.id}`;

export function readSource(key: string): Source | undefined {
  const [, kind, id] = /^(repo|runs|user|owner|items)-(\d+)$/.exec(key) ?? [];
  if (kind === 'repo' || kind === 'runs' || kind === 'user' || kind === 'owner' || kind === 'items')
    return { kind, id: Number(id) };
  const [, team, user] = /^inbox-([A-Z0-9]+)-([A-Z0-9]+)$/i.exec(key) ?? [];
  return team && user ? { kind: 'inbox', team, user } : undefined;
}

export interface ReadRow {
  readonly repo: number | undefined;
  readonly at: number;
}

/** Its review requests since then may be new. */
export interface ChangedPull {
  readonly issue: Issue;
  readonly since: number;
}

/** The result of one poll. Nothing is stored until mark and events are written together. */
export interface Polled {
  readonly events: readonly Event[];
  readonly mark: FeedMark;
  /** A row was held back: poll again in a moment. */
  readonly soon: boolean;
  /** There were more pages than one poll reads; older rows were left out. */
  readonly capped: boolean;
  /** If so: how many, if the server counts its rows. */
  readonly leftOut?: number;
  /** For feeds: the repository and time of each row that was read, new or not. */
  readonly rows?: readonly ReadRow[];
  /** For items: pull requests that changed, whose review requests are not read yet. */
  readonly changed?: readonly ChangedPull[];
  /** For runs: the unfinished ones. */
  readonly open?: readonly WorkflowRun[];
}

/** A poll as pure steps: it requests pages, receives them, and finally returns what is new. */
export type Steps<Request, Item> = Generator<Request, Polled, Page<Item>>;

export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

export const probeSize = 10;
export const pageSize = 50;
export const pageCap = 200;

/** How to poll a source; names change at the forge, ids do not. */
export const SourceAbout = z.object({
  owner: z.string(),
  name: z.string().exactOptional(),
  ownerId: z.int().exactOptional(),
  hidden: z.boolean().exactOptional(),
  /** It was public once, so its name is no secret. */
  wasOpen: z.boolean().exactOptional(),
  /** Since when neither the bot nor an owner can find it. */
  missingSince: z.int().exactOptional(),
  defaultBranch: z.string().exactOptional(),
  url: z.string().exactOptional(),
  /** Labels wanted by filters on this owner. */
  labels: z.array(z.string()).exactOptional(),
  /** Someone wants the review requests of this owner's pull requests. */
  requests: z.boolean().exactOptional(),
  readAt: z.int().exactOptional(),
  /** Someone wants to know about stuck runs. */
  stuck: z.boolean().exactOptional(),
  /** For an owner: when a repository was added, removed or renamed; an earlier list is outdated. */
  changedAt: z.int().exactOptional(),
  /** For a repository: its owner's feed is polled for many and shows activity here. For an owner: it covers many. */
  together: z.literal(true).exactOptional(),
});
export type SourceAbout = z.infer<typeof SourceAbout>;
