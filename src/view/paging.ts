import type { Button, KnownBlock } from '@slack/types';
import { actions, type Blocks, context } from './blocks.js';
import { limits } from './limits.js';
import { weight } from './message.js';

/** A part of a longer list, as a server returns it. */
export interface Stretch<T> {
  /** The items from `from` on. */
  readonly items: readonly T[];
  readonly from: number;
  readonly total?: number | undefined;
  /** There are more after `items`. */
  readonly hasMore: boolean;
  /** What the reader should know about the list. */
  readonly note?: string | undefined;
}

export type Next = (from: number) => Button;

// Room for what a caller adds around the list.
const spare = { blocks: 6, characters: 2500 };

/** Rows from `from` on, as many as one message holds, and a button that continues right after the last one. */
export function drawPage<T>(
  items: readonly T[],
  from: number,
  perPage: number,
  render: (item: T) => Blocks,
  next: Next,
): KnownBlock[] {
  const start = Math.max(0, Math.min(from, items.length));
  return stretch(
    { items: items.slice(start), from: start, total: items.length, hasMore: false },
    perPage,
    render,
    next,
  );
}

/** The same for a partially fetched list. */
export function stretch<T>(list: Stretch<T>, perPage: number, render: (item: T) => Blocks, next: Next): KnownBlock[] {
  const rows: KnownBlock[] = [];
  let count = 0;
  for (const item of list.items.slice(0, perPage)) {
    const row = render(item).filter((block) => block !== undefined);
    const tooMany = rows.length + row.length > limits.message.blocks - spare.blocks;
    const tooLong = weight([...rows, ...row]) > limits.message.characters - spare.characters;
    if (count > 0 && (tooMany || tooLong)) break;
    rows.push(...row);
    count += 1;
  }
  const end = list.from + count;
  const rest = count < list.items.length || list.hasMore;
  const note = context([list.note]);
  if (!rest && list.from === 0) return note ? [...rows, note] : rows;
  const of = list.total === undefined ? '' : ` of ${list.total}`;
  const range = count === 0 ? undefined : context([`${list.from + 1}–${end}${of}`]);
  const more = rest ? actions(next(end)) : undefined;
  return [...rows, ...(range ? [range] : []), ...(note ? [note] : []), ...(more ? [more] : [])];
}
