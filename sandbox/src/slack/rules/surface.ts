import { asObjects, asText, isObj, type Json, type Obj } from '../json.js';
import { block } from './blocks.js';
import { booleans, Check, type Issue } from './check.js';
import { sizes } from './limits.js';
import type { Surface } from './rule.js';

/** Every block of one surface, and what must be unique among them. */
function checkBlocks(at: Check, surface: Surface): void {
  const max = surface === 'message' ? sizes.messageBlocks : sizes.viewBlocks;
  const blocks = at.list(max, 0);
  for (const each of blocks) block(each, surface);
  const all = blocks.flatMap((each) => [each, ...each.field('child_blocks').items]);
  unique(all, 'block_id');
  for (const each of all) unique(elementsOf(each), 'action_id');
  const markdown = blocks.filter((each) => each.type === 'markdown');
  if (markdown.reduce((sum, each) => sum + asText(each.object['text']).length, 0) > sizes.markdownText) {
    at.fail(`markdown text must be less than ${sizes.markdownText + 1} characters in all`);
  }
  if (blocks.filter((each) => each.type === 'table').length > 1) at.fail('only one table allowed');
}

function unique(places: readonly Check[], key: string): void {
  const seen = new Set<Json>();
  for (const place of places) {
    const id = place.object[key];
    if (id === undefined) continue;
    if (seen.has(id)) place.field(key).fail(`"${key}" already exists: ${String(id)}`);
    seen.add(id);
  }
}

const elementsOf = (at: Check): Check[] => [
  ...at.field('elements').items,
  ...at.field('actions').items,
  ...['accessory', 'element'].filter((name) => at.has(name)).map((name) => at.field(name)),
];

export function messageIssues(blocks: Json, pointer = '/blocks'): Issue[] {
  const at = new Check(blocks, pointer, []);
  checkBlocks(at, 'message');
  return at.issues;
}

const modalKeys = ['submit', 'close', 'clear_on_close', 'notify_on_close', 'submit_disabled'];
const sharedKeys = ['private_metadata', 'callback_id', 'external_id'];

export function viewIssues(view: Json): Issue[] {
  const at = new Check(view, '/view', []);
  const modal = at.type === 'modal';
  if (!modal && at.type !== 'home') {
    at.field('type').fail('must be one of: modal, home');
    return at.issues;
  }
  const required = modal ? ['type', 'title', 'blocks'] : ['type', 'blocks'];
  if (!at.keys(required, modal ? [...sharedKeys, ...modalKeys] : [...sharedKeys, 'title', 'submit', 'close'])) {
    return at.issues;
  }
  for (const name of ['title', 'submit', 'close']) {
    at.optional(name, (field) => {
      const own = new Check(field.value, field.pointer, at.issues);
      if (own.keys(['type', 'text'], ['emoji'])) own.field('text').string(sizes.viewTitle);
      if (own.type !== 'plain_text') own.field('type').fail('must be one of: plain_text');
    });
  }
  booleans(at, 'clear_on_close', 'notify_on_close', 'submit_disabled');
  at.optional('private_metadata', (field) => field.string(sizes.privateMetadata, 0));
  at.optional('callback_id', (field) => field.string(sizes.identifier, 0));
  at.optional('external_id', (field) => field.string(sizes.identifier, 0));
  checkBlocks(at.field('blocks'), modal ? 'modal' : 'home');
  const blocks = asObjects(at.object['blocks']);
  if (modal && !at.has('submit') && blocks.some((each) => each['type'] === 'input')) {
    at.fail('missing required field: submit');
  }
  if (countFocus(blocks) > 1) at.field('blocks').fail('only one element can set focus_on_load');
  return at.issues;
}

const countFocus = (value: Json | Obj[] | undefined): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countFocus(each), 0);
  if (!isObj(value)) return 0;
  const own = value['focus_on_load'] === true ? 1 : 0;
  return Object.values(value).reduce<number>((sum, each) => sum + countFocus(each), own);
};
