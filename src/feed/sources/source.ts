import type { Page } from '../../forge/operation.js';
import type { Mark } from '../diff.js';
import type { Event } from '../event.js';

/**
 * repo: a repository's feed. owner: a user's or organisation's feed, which tells of repositories that come and go.
 * runs: a repository's workflow runs. items: what search knows of an owner's items and feeds do not carry.
 * inbox: a person's notifications.
 */
export type Source =
  | { readonly kind: 'repo' | 'runs'; readonly repo: number }
  | { readonly kind: 'owner' | 'items'; readonly owner: string }
  | { readonly kind: 'inbox'; readonly team: string; readonly user: string };

export function sourceKey(source: Source): string {
  switch (source.kind) {
    case 'repo':
    case 'runs':
      return `${source.kind}-${source.repo}`;
    case 'owner':
    case 'items':
      return `${source.kind}-${source.owner.toLowerCase()}`;
    case 'inbox':
      return `inbox-${source.team}-${source.user}`;
  }
}

export function readSource(key: string): Source | undefined {
  const [, kind = '', rest = ''] = /^(repo|runs|owner|items|inbox)-(.+)$/.exec(key) ?? [];
  if (kind === 'repo' || kind === 'runs') return /^\d+$/.test(rest) ? { kind, repo: Number(rest) } : undefined;
  if (kind === 'owner' || kind === 'items') return { kind, owner: rest };
  const [team, user, ...more] = rest.split('-');
  return kind === 'inbox' && team && user && more.length === 0 ? { kind, team, user } : undefined;
}

/** What one poll found. Nothing is kept until mark and events are written together. */
export interface Polled {
  readonly events: readonly Event[];
  readonly mark: Mark;
  /** A row was held back: look again in a moment. */
  readonly soon: boolean;
  /** More pages were waiting than one poll reads; what lay deeper was left out. */
  readonly capped: boolean;
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
