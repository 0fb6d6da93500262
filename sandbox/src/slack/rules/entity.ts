import type { Check } from './check.js';
import { booleans } from './check.js';

const sizes = { text: 3_000, id: 255, url: 3_000, fields: 50, actions: 10 };
const types = ['task', 'file', 'item', 'incident', 'content_item'].map((name) => `slack#/entities/${name}`);
const taskFields = [
  'description',
  'created_by',
  'date_created',
  'date_updated',
  'assignee',
  'status',
  'due_date',
  'priority',
];
const typed = ['type', 'label', 'value', 'link', 'icon', 'long', 'format', 'tag_color', 'user', 'entity_ref', 'edit'];

function user(at: Check): void {
  if (at.has('user_id')) at.keys(['user_id']);
  else if (at.keys(['text'], ['url', 'email', 'icon'])) at.field('text').string(sizes.text);
}

function field(at: Check): void {
  if (!at.keys([], typed)) return;
  booleans(at, 'long');
  at.optional('user', user);
  if (!at.has('value') && !at.has('user') && !at.has('entity_ref')) at.fail('has nothing to show');
}

function custom(at: Check): void {
  if (!at.keys(['key', 'label', 'type'], [...typed, 'key', 'item_type', 'boolean'])) return;
  at.field('key').string(sizes.id);
  at.field('label').string(sizes.text);
}

function action(at: Check): void {
  if (!at.keys(['text', 'action_id'], ['value', 'style', 'url', 'accessibility_label', 'processing_state'])) return;
  at.field('text').string(75);
  at.field('action_id').string(sizes.id);
  at.optional('value', (value) => value.string(2_000));
  at.optional('style', (style) => style.oneOf(['primary', 'danger']));
}

function attributes(at: Check): void {
  const more = ['display_type', 'display_id', 'product_icon', 'product_name', 'locale', 'full_size_preview'];
  if (!at.keys(['title'], [...more, 'metadata_last_modified'])) return;
  if (at.field('title').keys(['text'], ['edit'])) at.field('title').field('text').string(sizes.text);
  at.optional('metadata_last_modified', (value) => value.integer(0, 4_102_444_800));
}

/** A Work Object by the published types; `posted`: chat.unfurl needs the address. */
export function entity(at: Check, posted: boolean): void {
  const required = ['entity_type', 'entity_payload', 'external_ref', 'url', ...(posted ? ['app_unfurl_url'] : [])];
  if (!at.keys(required, ['app_unfurl_url'])) return;
  at.field('entity_type').oneOf(types);
  at.field('url').string(sizes.url);
  if (at.field('external_ref').keys(['id'], ['type'])) at.field('external_ref').field('id').string(sizes.id);
  const payload = at.field('entity_payload');
  if (!payload.keys(['attributes'], ['fields', 'custom_fields', 'slack_file', 'display_order', 'actions'])) return;
  attributes(payload.field('attributes'));
  payload.optional('fields', (fields) => {
    if (fields.keys([], taskFields)) for (const name of taskFields) fields.optional(name, field);
  });
  payload.optional('custom_fields', (list) => {
    for (const each of list.list(sizes.fields, 0)) custom(each);
  });
  payload.optional('actions', (actions) => {
    if (!actions.keys([], ['primary_actions', 'overflow_actions'])) return;
    for (const name of ['primary_actions', 'overflow_actions'])
      actions.optional(name, (list) => {
        for (const each of list.list(sizes.actions)) action(each);
      });
  });
}
