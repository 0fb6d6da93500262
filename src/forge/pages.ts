import { createHash } from 'node:crypto';
import type { Page } from './operation.js';

/** The number of the next page in a Link header; the address itself may be wrong and is not followed. */
export function linkedNext(link: string): number | undefined {
  for (const part of link.split(',')) {
    const found = /<[^>]*[?&]page=(\d+)[^>]*>\s*;[^,]*\brel="?next"?/i.exec(part);
    if (found?.[1] !== undefined) return Number(found[1]);
  }
  return undefined;
}

export interface Walk<T> {
  readonly first: number;
  /** Per page, as sent; undefined if the server's maximum is unknown until the first page. */
  readonly size: number | undefined;
  readonly maxItems: number;
  readonly maxPages: number;
  readonly noted?: ((note: string) => void) | undefined;
  fetch(page: number): Promise<Page<T>>;
}

export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Iterates items over pages. Ends at the total, a short page, a page seen before, or a cap. */
export async function* walk<T>({
  first,
  size,
  maxItems,
  maxPages,
  noted,
  fetch,
}: Walk<T>): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  let full = size;
  let given = 0;
  for (let page = first; page < first + maxPages; page += 1) {
    const { items, total, hasMore, note } = await fetch(page);
    if (note !== undefined) noted?.(note);
    const print = createHash('sha1').update(JSON.stringify(items)).digest('base64');
    if (items.length === 0 || seen.has(print)) return;
    seen.add(print);
    for (const item of items) {
      yield item;
      given += 1;
      if (given >= maxItems) return;
    }
    full ??= items.length;
    const reached = total !== undefined && first === 1 && given >= total;
    // a server may drop rows of a page after counting them: a Link to the next page outweighs a short page
    if (reached || (items.length < full && !hasMore)) return;
  }
}
