import { entityBlocks } from '../entity-blocks.js';
import { controlsOf } from '../form-values.js';
import { asObj, asObjects, asText, type Obj } from '../json.js';
import { isMessage, type Target } from './payloads.js';

/** By action id, by label, by a pattern for either, or by a predicate. */
export type Which = string | RegExp | ((control: Obj) => boolean);

export interface Found {
  block: Obj;
  control: Obj;
}

const words = (control: Obj): string => asText(asObj(control['text'])['text']);

const matches = (which: Which, control: Obj): boolean => {
  if (typeof which === 'function') return which(control);
  if (typeof which === 'string') return control['action_id'] === which || words(control) === which;
  return which.test(asText(control['action_id'])) || which.test(words(control));
};

const all = (blocks: readonly Obj[]): Found[] =>
  blocks.flatMap((block) =>
    controlsOf(block)
      .filter((control) => control['action_id'] !== undefined)
      .map((control) => ({ block, control })),
  );

/** Everything drawn there, including a message's attachments and link cards. */
export function blocksOf(target: Target): Obj[] {
  if (!isMessage(target)) return target.blocks;
  const below = [...target.attachments, ...Object.values(target.unfurls)];
  const drawn = ({ entity, blocks }: Obj) => (entity === undefined ? asObjects(blocks) : entityBlocks(asObj(entity)));
  return [...target.blocks, ...below.flatMap(drawn)];
}

export function findControl(blocks: readonly Obj[], which: Which): Found {
  const controls = all(blocks);
  const found = controls.find(({ control }) => matches(which, control));
  if (found !== undefined) return found;
  const there = controls.map(({ control }) => `${asText(control['action_id'])} (${words(control)})`).join(', ');
  throw new Error(`There is no control ${String(which)} here; there are: ${there || 'none'}.`);
}

/** A form's field by block id, action id or label. */
export function findField(blocks: readonly Obj[], name: string): Found {
  const fields = blocks.filter((block) => block['type'] === 'input');
  const label = (block: Obj) => asText(asObj(block['label'])['text']);
  const block =
    fields.find((each) => each['block_id'] === name) ??
    fields.find((each) => asObj(each['element'])['action_id'] === name) ??
    fields.find((each) => label(each).toLowerCase() === name.toLowerCase());
  if (block !== undefined) return { block, control: asObj(block['element']) };
  throw new Error(`The form has no field ${name}; it has: ${fields.map(label).join(', ') || 'none'}.`);
}
