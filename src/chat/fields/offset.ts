import type { Page } from '../../forge/index.js';
import type { Stretch } from '../../view/paging.js';
import { hidden } from './hidden.js';
import { number } from './index.js';
import type { Optional } from './make.js';

/** Rows of one message. */
export const rows = 10;

/** Where a list goes on; carried by the button below it. */
export function offset(): Optional<number> {
  return hidden(number({ label: 'From', min: 0, max: 100_000 }));
}

/** The part of a list that begins at `from`, of a server that only knows pages. */
export async function readFrom<T>(
  from: number,
  fetch: (paging: { readonly page: number; readonly limit: number }) => Promise<Page<T>>,
): Promise<Stretch<T>> {
  const { items, total, hasMore, note } = await fetch({ page: Math.floor(from / rows) + 1, limit: rows });
  return { items: items.slice(from % rows), from, total, hasMore, note };
}
