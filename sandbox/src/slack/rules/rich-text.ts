import { booleans, type Check } from './check.js';
import { sizes } from './limits.js';

const style = (at: Check): void =>
  at.optional('style', (flags) => {
    const names = ['bold', 'italic', 'strike', 'code', 'underline', 'highlight', 'client_highlight', 'unlink'];
    if (flags.keys([], names)) booleans(flags, ...names);
  });

const literals: Record<string, { required: string[]; optional: string[] }> = {
  text: { required: ['text'], optional: [] },
  link: { required: ['url'], optional: ['text', 'unsafe'] },
  user: { required: ['user_id'], optional: [] },
  usergroup: { required: ['usergroup_id'], optional: [] },
  channel: { required: ['channel_id'], optional: [] },
  team: { required: ['team_id'], optional: [] },
  broadcast: { required: ['range'], optional: [] },
  emoji: { required: ['name'], optional: ['unicode', 'url', 'skin_tone'] },
  color: { required: ['value'], optional: [] },
  date: { required: ['timestamp', 'format'], optional: ['url', 'fallback'] },
};

function leaf(at: Check, types: readonly string[]): void {
  const rule = types.includes(at.type) ? literals[at.type] : undefined;
  if (rule === undefined) {
    at.field('type').fail(`unsupported type: ${at.type}`);
    return;
  }
  if (!at.keys(['type', ...rule.required], [...rule.optional, 'style'])) return;
  style(at);
  for (const name of ['text', 'user_id', 'usergroup_id', 'channel_id', 'team_id', 'name', 'value', 'format']) {
    at.optional(name, (field) => field.string(Number.MAX_SAFE_INTEGER - 1));
  }
  at.optional('url', (url) => {
    url.string(sizes.url);
    url.match(/^(?!\s*(javascript|vbscript|data):)/i, 'a valid URL');
  });
  at.optional('range', (range) => range.oneOf(['here', 'channel', 'everyone']));
  at.optional('timestamp', (time) => time.integer(0, Number.MAX_SAFE_INTEGER));
}

const everything = Object.keys(literals);

const leaves = (at: Check, types: readonly string[] = everything): void => {
  for (const each of at.field('elements').list(Number.MAX_SAFE_INTEGER, 0)) leaf(each, types);
};

const border = (at: Check): void => at.optional('border', (value) => value.integer(0, 1));

function group(at: Check): void {
  switch (at.type) {
    case 'rich_text_section':
      if (at.keys(['type', 'elements'])) leaves(at);
      return;
    case 'rich_text_quote':
      if (at.keys(['type', 'elements'], ['border'])) leaves(at);
      border(at);
      return;
    case 'rich_text_preformatted':
      if (at.keys(['type', 'elements'], ['border', 'language'])) leaves(at, ['text', 'link']);
      border(at);
      return;
    case 'rich_text_list':
      if (!at.keys(['type', 'elements', 'style'], ['indent', 'offset', 'border'])) return;
      at.field('style').oneOf(['bullet', 'ordered']);
      at.optional('indent', (value) => value.integer(0, 8));
      border(at);
      for (const item of at.field('elements').list(Number.MAX_SAFE_INTEGER)) {
        if (item.type === 'rich_text_section') group(item);
        else item.field('type').fail(`unsupported type: ${item.type}`);
      }
      return;
    default:
      at.field('type').fail(`unsupported type: ${at.type}`);
  }
}

export function richText(at: Check): void {
  if (at.type !== 'rich_text') {
    at.field('type').fail('must be one of: rich_text');
    return;
  }
  if (!at.keys(['type', 'elements'], ['block_id'])) return;
  for (const each of at.field('elements').list(Number.MAX_SAFE_INTEGER)) group(each);
}
