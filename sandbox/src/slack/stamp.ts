import type { Ids } from './ids.js';
import { asList, isObj, type Json, type Obj } from './json.js';

const interactive = /button|select|overflow|checkboxes|picker|input/;

/** Slack names every block and control that has no name. */
export function stamp(blocks: readonly Obj[], ids: Ids): Obj[] {
  const named = (value: Json | undefined): Json => {
    if (!isObj(value)) return value ?? null;
    if (value['action_id'] !== undefined || !interactive.test(String(value['type']))) return value;
    return { ...value, action_id: ids.next('a') };
  };
  return blocks.map((block) => {
    // the name of a markdown block does not survive its translation
    const name = block['type'] === 'markdown' ? undefined : block['block_id'];
    const stamped: Obj = { ...block, block_id: name ?? ids.next('b') };
    if (block['type'] === 'actions') stamped['elements'] = asList(block['elements']).map(named);
    for (const place of ['accessory', 'element']) if (block[place] !== undefined) stamped[place] = named(block[place]);
    return stamped;
  });
}
