import type { Button, KnownBlock } from '@slack/types';
import { actions } from '../view/blocks.js';
import { commandOf } from './actions.js';

const mostButtons = 3;

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
