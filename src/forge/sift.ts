import type { Sifting } from './dialect.js';
import type { Page } from './operation.js';

/** How many pages one request may read if the server does not filter. */
const mostPages = 10;

interface Wanted {
  readonly page: number;
  readonly limit: number;
  readonly sifting: readonly Sifting[];
  fetch(page: number): Promise<Page<unknown>>;
}

/** One page of a client-filtered list: reads as many pages as needed, up to a limit that is reported. */
export async function sifted({ page, limit, sifting, fetch }: Wanted): Promise<Page<unknown>> {
  const end = page * limit;
  const kept: unknown[] = [];
  let searched = 0;
  for (let at = 1; at <= mostPages; at += 1) {
    const { items, hasMore } = await fetch(at);
    searched += items.length;
    for (const item of items) if (sifting.every(({ sieve, value }) => sieve.keep(item, value))) kept.push(item);
    const past = items.some((item) => sifting.some(({ sieve, value }) => sieve.past?.(item, value)));
    const over = !hasMore || past;
    if (!over && kept.length <= end) continue;
    const total = over ? kept.length : undefined;
    return { items: kept.slice(end - limit, end), total, hasMore: kept.length > end };
  }
  const note = `Only the first ${searched} were searched.`;
  return { items: kept.slice(end - limit, end), total: undefined, hasMore: kept.length > end, note };
}
