import type { Page } from '../../forge/operation.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { Event } from '../event.js';
import type { FeedMark } from '../mark.js';

/**
 * repo: a repository's feed. user: what one person did. owner: the feed of an owner, which tells at once which of its
 * repositories moved. runs: a repository's workflow runs. items: what search knows of an owner's items and feeds do not
 * carry. inbox: a person's notifications.
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

/** What one poll found. Nothing is kept until mark and events are written together. */
export interface Polled {
  readonly events: readonly Event[];
  readonly mark: FeedMark;
  /** A row was held back: look again in a moment. */
  readonly soon: boolean;
  /** More pages were waiting than one poll reads; what lay deeper was left out. */
  readonly capped: boolean;
  /** Then: how many, where the server counts its rows. */
  readonly leftOut?: number;
  /** Of runs: those that have not ended. */
  readonly open?: readonly WorkflowRun[];
}

/** A poll as pure steps: it says which page it wants, is given the page, and in the end says what is new. */
export type Steps<Request, Item> = Generator<Request, Polled, Page<Item>>;

export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

export const probeSize = 10;
export const pageSize = 50;
export const pageCap = 200;
