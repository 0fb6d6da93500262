import { closest, distance } from 'fastest-levenshtein';

/** The word that was probably meant; a far one would only puzzle. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const word = typed.slice(0, 60).toLowerCase();
  const near = closest(word, words);
  return distance(word, near.toLowerCase()) <= Math.ceil(near.length / 3) ? near : undefined;
}

/** The same as a sentence after a refusal, or nothing. */
export const didYouMean = (near: string | undefined): string => (near === undefined ? '' : ` Did you mean ${near}?`);
