import { asObj, asObjects, asText, type Json, type Obj } from './json.js';

const plain = (text: string): Obj => ({ type: 'plain_text', text });
/** Everything in an entity is plain text. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/([*_~`])/g, '\u200b$1');

const day = (value: Json | undefined): string =>
  typeof value === 'number' ? new Date(value * 1_000).toISOString().slice(0, 10) : asText(value);

/** Slack's own task fields, as labeled on its card. */
const labels = { status: 'Status', created_by: 'Created by', assignee: 'Assignee', due_date: 'Due' } as const;

function fieldsOf(payload: Obj): readonly (readonly [string, string])[] {
  const fields = asObj(payload['fields']);
  const own = Object.entries(labels).map(([key, label]) => {
    const field = asObj(fields[key]);
    return [label, asText(asObj(field['user'])['text']) || day(field['value'])] as const;
  });
  const custom = asObjects(payload['custom_fields']).map(
    (field) => [asText(field['label']), day(field['value'])] as const,
  );
  return [...own, ...custom].filter(([, value]) => value !== '');
}

/** Both visible and menu actions; a person finds all of them. */
function buttonsOf(payload: Obj): Obj[] {
  const { primary_actions: first, overflow_actions: more } = asObj(payload['actions']);
  return [...asObjects(first), ...asObjects(more)].map(({ text, ...action }) => ({
    type: 'button',
    ...action,
    text: plain(asText(text)),
  }));
}

const drawn = new WeakMap<Obj, Obj[]>();

/** The same controls each time, so that one that was seen can be pressed. */
export function entityBlocks(entity: Obj): Obj[] {
  const blocks = drawn.get(entity) ?? draw(entity);
  drawn.set(entity, blocks);
  return blocks;
}

/** A Work Object as Slack shows it under a link: title, type, fields and actions. */
function draw(entity: Obj): Obj[] {
  const payload = asObj(entity['entity_payload']);
  const { title, display_type: kind, display_id: id, product_name: product } = asObj(payload['attributes']);
  const about = [kind, id, product].map(asText).filter((text) => text !== '');
  const description = asText(asObj(asObj(payload['fields'])['description'])['value']);
  const fields = fieldsOf(payload);
  const buttons = buttonsOf(payload);
  return [
    {
      type: 'section',
      text: { type: 'mrkdwn', text: `*<${asText(entity['url'])}|${escaped(asText(asObj(title)['text']))}>*` },
    },
    { type: 'context', elements: [plain(about.join(' · '))] },
    ...(description === '' ? [] : [{ type: 'section', text: plain(description) }]),
    ...(fields.length === 0
      ? []
      : [
          {
            type: 'section',
            fields: fields.map(([label, value]) => ({ type: 'mrkdwn', text: `*${label}*\n${escaped(value)}` })),
          },
        ]),
    ...(buttons.length === 0 ? [] : [{ type: 'actions', block_id: 'entity', elements: buttons }]),
  ];
}
