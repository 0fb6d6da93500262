import { asObj, asObjects, asText, isObj, type Json, type Obj } from './json.js';
import type { Values } from './model.js';

/** Where each kind of control keeps its value, and which field sets its initial value. */
const kept: Record<string, { value: string; initial: string; many?: true }> = {
  plain_text_input: { value: 'value', initial: 'initial_value' },
  email_text_input: { value: 'value', initial: 'initial_value' },
  url_text_input: { value: 'value', initial: 'initial_value' },
  number_input: { value: 'value', initial: 'initial_value' },
  rich_text_input: { value: 'rich_text_value', initial: 'initial_value' },
  static_select: { value: 'selected_option', initial: 'initial_option' },
  external_select: { value: 'selected_option', initial: 'initial_option' },
  radio_buttons: { value: 'selected_option', initial: 'initial_option' },
  overflow: { value: 'selected_option', initial: '' },
  users_select: { value: 'selected_user', initial: 'initial_user' },
  channels_select: { value: 'selected_channel', initial: 'initial_channel' },
  conversations_select: { value: 'selected_conversation', initial: 'initial_conversation' },
  multi_static_select: { value: 'selected_options', initial: 'initial_options', many: true },
  multi_external_select: { value: 'selected_options', initial: 'initial_options', many: true },
  checkboxes: { value: 'selected_options', initial: 'initial_options', many: true },
  multi_users_select: { value: 'selected_users', initial: 'initial_users', many: true },
  multi_channels_select: { value: 'selected_channels', initial: 'initial_channels', many: true },
  multi_conversations_select: { value: 'selected_conversations', initial: 'initial_conversations', many: true },
  datepicker: { value: 'selected_date', initial: 'initial_date' },
  timepicker: { value: 'selected_time', initial: 'initial_time' },
  datetimepicker: { value: 'selected_date_time', initial: 'initial_date_time' },
};

export const controlsOf = (block: Obj): Obj[] => [
  ...asObjects(block['elements']),
  ...asObjects(block['actions']),
  ...[block['accessory'], block['element']].filter(isObj),
  ...asObjects(block['child_blocks']).flatMap(controlsOf),
];

export const isMany = (control: Obj): boolean => kept[asText(control['type'])]?.many ?? false;

export function chosenValue(control: Obj, chosen: Json | undefined): Obj {
  const type = asText(control['type']);
  const rule = kept[type];
  if (rule === undefined) return { type };
  return { type, [rule.value]: chosen ?? (rule.many ? [] : null) };
}

export const chosenIn = (value: Obj | undefined): Json | undefined => {
  const rule = kept[asText(value?.['type'])];
  return rule === undefined ? undefined : value?.[rule.value];
};

export const isEmpty = (value: Obj | undefined): boolean => {
  const chosen = chosenIn(value);
  return chosen === undefined || chosen === null || chosen === '' || (Array.isArray(chosen) && chosen.length === 0);
};

export function initialValues(blocks: readonly Obj[]): Values {
  const values: Values = {};
  for (const block of blocks) {
    for (const control of controlsOf(block)) {
      const rule = kept[asText(control['type'])];
      if (rule === undefined || rule.initial === '') continue;
      const row = values[asText(block['block_id'])] ?? {};
      row[asText(control['action_id'])] = chosenValue(control, control[rule.initial]);
      values[asText(block['block_id'])] = row;
    }
  }
  return values;
}

export const offeredBy = (control: Obj): Obj[] => [
  ...asObjects(control['options']),
  ...asObjects(control['option_groups']).flatMap((group) => asObjects(group['options'])),
];

/** An option by its value or its visible text. */
export const pick = (options: readonly Obj[], wanted: string): Obj | undefined =>
  options.find((option) => option['value'] === wanted) ??
  options.find((option) => asText(asObj(option['text'])['text']) === wanted);
