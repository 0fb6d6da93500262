import { CannotAsk } from './cannot-ask.js';
import type { Place } from './capabilities.js';
import type { Compiled } from './compile.js';
import { ApiError } from './errors.js';
import type { Sieve, Values } from './operation.js';

/** One filter that is done here, with the value that was asked for. */
export interface Sifting {
  readonly sieve: Sieve;
  readonly value: unknown;
}

export interface Spoken {
  readonly query: Values;
  readonly sifting: readonly Sifting[];
  readonly paged: boolean;
}

/** A checked query in the words of this server; filters it takes no notice of are kept apart, to be done here. */
export function speak({ name, entry, paged }: Compiled, place: Place, query: Values): Spoken {
  const variant = place.product === 'Forgejo' ? entry.forgejo : undefined;
  const ignored = [...(entry.ignores ?? []), ...(variant?.ignores ?? [])];
  const asked = { ...translated(name, variant, query, place) };
  const sifting: Sifting[] = [];
  for (const [key, sieve] of Object.entries(entry.sieves ?? {})) {
    if (asked[key] === undefined || (place.lists(key) ?? !ignored.includes(key))) continue;
    sifting.push({ sieve, value: asked[key] });
    delete asked[key];
  }
  return { query: asked, sifting, paged: paged && !variant?.unpaged };
}

function translated(operation: string, variant: Compiled['entry']['forgejo'], query: Values, { lists }: Place): Values {
  if (!variant?.query) return query;
  try {
    return variant.query(query, (key) => lists(key) ?? false);
  } catch (problem) {
    if (!(problem instanceof CannotAsk)) throw problem;
    const { message } = problem;
    throw new ApiError({ kind: 'invalid', operation, hint: message, neverSent: true });
  }
}
