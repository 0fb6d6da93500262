import { CannotAsk } from './cannot-ask.js';
import type { Place } from './capabilities.js';
import type { Compiled } from './compile.js';
import { ApiError } from './errors.js';
import type { Product, Sieve, Values, Variant } from './operation.js';

/** A client-side filter with its value. */
export interface Sifting {
  readonly sieve: Sieve;
  readonly value: unknown;
}

export interface Spoken {
  readonly query: Values;
  readonly sifting: readonly Sifting[];
  readonly paged: boolean;
  readonly note: string | undefined;
}

const variantAt = ({ entry }: Compiled, { product }: Place): Variant | undefined =>
  product === 'Forgejo' ? entry.forgejo : undefined;

/** Translates a validated query for this server; filters it ignores are returned separately, to be applied here. */
export function speak(compiled: Compiled, place: Place, query: Values): Spoken {
  const { name, entry, paged } = compiled;
  const variant = variantAt(compiled, place);
  const ignored = [...(entry.ignores ?? []), ...(variant?.ignores ?? [])];
  const lists = (key: string) => place.lists(key) ?? false;
  const asked = { ...(ifAskable(name, () => variant?.query?.(query, lists)) ?? query) };
  const sifting: Sifting[] = [];
  for (const [key, sieve] of Object.entries(entry.sieves ?? {})) {
    if (asked[key] === undefined || (place.lists(key) ?? !ignored.includes(key))) continue;
    sifting.push({ sieve, value: asked[key] });
    delete asked[key];
  }
  return { query: asked, sifting, paged: paged && !variant?.unpaged, note: variant?.note?.(query) };
}

/** Translates a validated body for this server. */
export function speakBody({ name, entry }: Compiled, product: Product, body: Values | undefined): Values | undefined {
  return body && (ifAskable(name, () => entry.send?.(body, product)) ?? body);
}

function ifAskable<T>(operation: string, words: () => T): T {
  try {
    return words();
  } catch (problem) {
    if (!(problem instanceof CannotAsk)) throw problem;
    throw new ApiError({ kind: 'invalid', operation, hint: problem.message, neverSent: true });
  }
}
