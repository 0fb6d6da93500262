import { createHash } from 'node:crypto';
import { z } from 'zod';
import { hidden } from './hidden.js';
import { type Optional, plainField } from './make.js';

/** Fingerprints of the values a form showed: unchanged fields are not sent, and changes by others are noticed. */
export type Seen = Readonly<Record<string, string>>;

const Prints = z.record(z.string().max(40), z.string().max(20)).readonly();

/** The fingerprints in a form's values; empty if it carried none. */
export const seenIn = (values: Readonly<Record<string, unknown>>): Seen => Prints.safeParse(values['seen']).data ?? {};

export function seen(): Optional<Seen> {
  return hidden(
    plainField<Seen>(
      {},
      {
        label: 'Seen',
        placeholder: 'seen',
        input: { kind: 'text' },
        schema: Prints,
        read: () => ({}),
        show: () => '',
      },
    ),
  );
}

// As forms return text: normalized line ends, nothing unprintable, trimmed.
const tidy = (text: string) =>
  text
    .replace(/(?![\t\n\r])\p{Cc}/gu, '')
    .replace(/\r\n?/g, '\n')
    .trim();

function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return tidy(value);
  return Array.isArray(value) ? value.map(plain).sort().join('\n') : JSON.stringify(value);
}

export function printOf(value: unknown): string {
  const text = plain(value);
  return text === '' ? '' : createHash('sha256').update(text).digest('base64url').slice(0, 10);
}

export function printsOf(values: Readonly<Record<string, unknown>>): Seen {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, printOf(value)]));
}
