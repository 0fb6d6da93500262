import { UserError } from '../../errors.js';

/** Comma-separated values; `\,` is a comma inside a value. */
export function splitList(text: string): string[] {
  const values = [...text.matchAll(/(?:\\[\\,]|[^,])+/g)].map(([part]) => part.replace(/\\([\\,])/g, '$1').trim());
  return [...new Set(values)].filter((value) => value !== '');
}

/** Text that `splitList` reads back. */
export function joinList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(', ');
}

/** A readable list; never empty. */
export function listOf(values: readonly string[], what: string, most: number, each: number): string[] {
  if (values.length === 0) throw new UserError(`No ${what} given: separate several with commas.`);
  if (values.length > most) throw new UserError(`${values.length} ${what} are too many: use at most ${most}.`);
  const long = values.find((value) => value.length > each);
  if (long !== undefined) {
    throw new UserError(`“${long.slice(0, 40)}…” is too long: at most ${each} characters each.`);
  }
  return [...values];
}
