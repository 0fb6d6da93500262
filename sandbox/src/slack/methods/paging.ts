import type { Args } from '../args.js';
import type { Obj } from '../json.js';
import { SlackError } from '../slack-error.js';

/** One page of a list, and Slack's opaque cursor to the next. */
export function page<T>(items: readonly T[], args: Args, max = 1000, usual = 100): { items: T[]; next: string } {
  const limit = Math.min(Math.max(1, args.number('limit', usual)), max);
  const cursor = args.text('cursor') ?? '';
  const offset = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64url').toString().replace('next:', ''));
  if (!Number.isInteger(offset) || offset < 0) throw new SlackError('invalid_cursor');
  const end = offset + limit;
  const next = end < items.length ? Buffer.from(`next:${end}`).toString('base64url') : '';
  return { items: items.slice(offset, end), next };
}

export const nextCursor = (next: string): Obj => ({ response_metadata: { next_cursor: next } });
