import { own } from '../json.js';
import { booleans, type Check } from './check.js';
import { allowed, element } from './elements.js';
import { sizes } from './limits.js';
import { newer } from './newer-blocks.js';
import { richText } from './rich-text.js';
import type { Rule, Surface } from './rule.js';
import { imageSource, plain, text, webAddress } from './text.js';

function section(at: Check): void {
  if (!at.has('text') && !at.has('fields')) at.fail('missing required field: text or fields');
  at.optional('text', (field) => text(field));
  at.optional('fields', (fields) => {
    for (const each of fields.list(sizes.sectionFields)) text(each, sizes.sectionField);
  });
  at.optional('accessory', (accessory) => element(accessory, allowed.section));
  booleans(at, 'expand');
}

function context(at: Check): void {
  for (const each of at.field('elements').list(sizes.contextElements)) {
    if (each.type === 'image') element(each, ['image']);
    else text(each);
  }
}

function input(at: Check): void {
  plain(sizes.label)(at.field('label'));
  at.optional('hint', plain(sizes.label));
  booleans(at, 'optional', 'dispatch_action');
  element(at.field('element'), allowed.input);
}

function video(at: Check): void {
  plain(sizes.videoTitle)(at.field('title'));
  for (const name of ['video_url', 'thumbnail_url', 'title_url', 'provider_icon_url']) at.optional(name, webAddress);
  at.optional('author_name', (name) => name.string(sizes.videoAuthor));
  at.optional('description', plain(sizes.videoTitle));
}

const rules: Record<string, Rule> = {
  ...newer,
  section: { optional: ['text', 'fields', 'accessory', 'expand'], check: section },
  divider: {},
  header: { required: ['text'], check: (at) => plain(sizes.header)(at.field('text')) },
  context: { required: ['elements'], check: context },
  actions: {
    required: ['elements'],
    check: (at) => {
      for (const each of at.field('elements').list(sizes.actionsElements)) element(each, allowed.actions);
    },
  },
  input: { required: ['label', 'element'], optional: ['hint', 'optional', 'dispatch_action'], check: input },
  image: {
    required: ['alt_text'],
    optional: ['image_url', 'slack_file', 'title'],
    check: (at) => {
      at.field('alt_text').string(sizes.altText);
      at.optional('title', plain(sizes.altText));
      imageSource(at);
    },
  },
  rich_text: { required: ['elements'], check: richText },
  file: {
    required: ['external_id', 'source'],
    surfaces: ['message'],
    check: (at) => {
      at.field('external_id').string(sizes.identifier);
      at.field('source').oneOf(['remote']);
    },
  },
  video: {
    required: ['video_url', 'thumbnail_url', 'alt_text', 'title'],
    optional: ['title_url', 'author_name', 'provider_name', 'provider_icon_url', 'description'],
    check: video,
  },
};

export function block(at: Check, surface: Surface, within?: readonly string[]): void {
  const rule = own(rules, at.type);
  const fits = rule?.surfaces?.includes(surface) ?? true;
  if (rule === undefined || !fits || (within !== undefined && !within.includes(at.type))) {
    at.field('type').fail(`unsupported type: ${at.type}`);
    return;
  }
  if (!at.keys(['type', ...(rule.required ?? [])], [...(rule.optional ?? []), 'block_id'])) return;
  at.optional('block_id', (id) => id.string(sizes.identifier));
  rule.check?.(at);
  const nested = at.type === 'container' ? at.field('child_blocks').list(sizes.containerBlocks, 0) : [];
  for (const child of nested) block(child, surface, containable);
}

const containable = [
  'actions',
  'context',
  'divider',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'table',
  'video',
];
