import { isObj, type Json } from '../json.js';

const worded = new Set(['text', 'alt_text', 'caption', 'title', 'fallback', 'author_name']);

/** Visible characters of everything inside. */
export function textLength(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + textLength(each), 0);
  if (!isObj(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, each]) => sum + (typeof each === 'string' ? (worded.has(key) ? each.length : 0) : textLength(each)),
    0,
  );
}

/** What counts towards Slack's limit over all blocks; a data table has a larger one of its own. */
export const countedLength = (blocks: Json | undefined): number =>
  textLength(Array.isArray(blocks) ? blocks.filter((each) => !isObj(each) || each['type'] !== 'data_table') : blocks);
