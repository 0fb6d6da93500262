import { invalid } from './answer.js';

const goTime = (text: string): string =>
  `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`;

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** In seconds, or undefined if it is not a time. */
export function parseTime(text: string): number | undefined {
  if (!rfc3339.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

export const badTime = goTime;

/** Parses a query string like the forge: unreadable values count as absent or false. */
export class Query {
  readonly #values: URLSearchParams;

  constructor(values: URLSearchParams) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === null || value === '' ? undefined : value;
  }

  all(name: string): string[] {
    return this.#values.getAll(name).filter((value) => value !== '');
  }

  /** Comma separated. */
  names(name: string): string[] {
    return (this.text(name) ?? '').split(',').flatMap((part) => part.trim() || []);
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    return value !== undefined && /^-?\d+$/.test(value) ? Number(value) : undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : /^(1|t|true|on)$/i.test(value);
  }

  time(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const seconds = parseTime(value);
    if (seconds === undefined) throw invalid(goTime(value));
    return seconds;
  }

  /** With the page set, in alphabetical order, as in the links. */
  withPage(page: number): string {
    const copy = new URLSearchParams(this.#values);
    copy.set('page', String(page));
    copy.sort();
    return copy.toString();
  }

  entries(): Record<string, string> {
    return Object.fromEntries(this.#values);
  }
}
