import type { Button, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { actions } from '../view/blocks.js';

const Carried = z.object({ c: z.string() });
const mostButtons = 3;

function commandOf(value: string | undefined): string | undefined {
  try {
    return Carried.safeParse(JSON.parse(value ?? '')).data?.c;
  } catch {
    return undefined;
  }
}

/** Puts Undo first in the last row of buttons, replacing the one that does the same; the row stays short. */
export function withUndoFirst(blocks: readonly KnownBlock[], undo: Button, opposite?: string): KnownBlock[] {
  const at = blocks.findLastIndex(({ type }) => type === 'actions');
  const row = blocks[at];
  const elements = row?.type === 'actions' ? row.elements : [];
  const buttons = elements.filter(
    (each) => each.type === 'button' && (opposite === undefined || commandOf(each.value) !== opposite),
  );
  const menus = elements.filter(({ type }) => type !== 'button');
  const drawn = actions(undo, ...buttons.slice(0, mostButtons - 1), ...menus);
  const before = at < 0 ? blocks : blocks.filter((_, index) => index !== at);
  return drawn ? before.toSpliced(at < 0 ? blocks.length : at, 0, drawn) : [...before];
}
