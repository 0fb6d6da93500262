import type { Page } from '../../forge/index.js';
import type { Stretch } from '../../view/paging.js';
import { hidden } from './hidden.js';
import { number } from './index.js';
import type { Optional } from './make.js';

/** Rows per message. */
export const rows = 10;

/** Where the next part of a list starts; carried by the button below it. */
export function offset(): Optional<number> {
  return hidden(number({ label: 'From', min: 0, max: 100_000 }));
}

/** The part of a list starting at `from`, from a server that only has pages. */
export async function readFrom<T>(
  from: number,
  fetch: (paging: { readonly page: number; readonly limit: number }) => Promise<Page<T>>,
): Promise<Stretch<T>> {
  const { items, total, hasMore, note } = await fetch({ page: Math.floor(from / rows) + 1, limit: rows });
  // some servers return the whole list, whatever page is requested
  const start = items.length > rows ? from : from % rows;
  return { items: items.slice(start), from, total, hasMore, note };
}
