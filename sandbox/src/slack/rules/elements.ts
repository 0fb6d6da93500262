import { booleans, type Check } from './check.js';
import { inputs } from './inputs.js';
import { sizes } from './limits.js';
import { initialAmong, offered, option, options } from './options.js';
import type { Rule } from './rule.js';
import { confirm, imageSource, plain, webAddress } from './text.js';

const menu = ['placeholder', 'confirm', 'focus_on_load'];
const multi = [...menu, 'max_selected_items'];

const button = (at: Check): void => {
  plain(sizes.buttonText)(at.field('text'));
  at.optional('value', (value) => value.string(sizes.buttonValue));
  at.optional('url', webAddress);
  at.optional('style', (style) => style.oneOf(['primary', 'danger']));
  at.optional('accessibility_label', (label) => label.string(sizes.accessibilityLabel));
};

const feedback = (at: Check): void => {
  if (!at.keys(['text', 'value'], ['accessibility_label'])) return;
  button(at);
};

const choices = (at: Check): void => {
  options(at.field('options'), 'choice', sizes.choices);
  initialAmong(at);
};

const fixed = (at: Check): void => {
  offered(at);
  initialAmong(at);
};

const external = (at: Check): void => {
  at.optional('min_query_length', (value) => value.integer(0, 100));
  at.optional('initial_option', (initial) => option(initial, 'menu'));
  at.optional('initial_options', (list) => options(list, 'menu', sizes.options));
};

const conversations = ['default_to_current_conversation', 'filter'];

const id = (at: Check): void => at.string(sizes.identifier);

/** The preselected person or channel, by id. */
const chosen = (kind: string) => (at: Check) => {
  at.optional(`initial_${kind}`, id);
  at.optional(`initial_${kind}s`, (list) => list.list(sizes.options, 0).forEach(id));
  at.optional('filter', filter);
};

function filter(at: Check): void {
  const flags = ['exclude_external_shared_channels', 'exclude_bot_users'];
  if (!at.keys([], ['include', ...flags])) return;
  at.optional('include', (include) => {
    for (const each of include.list(4)) each.oneOf(['im', 'mpim', 'private', 'public']);
  });
  booleans(at, ...flags);
}

const rules: Record<string, Rule> = {
  ...inputs,
  image: {
    required: ['alt_text'],
    optional: ['image_url', 'slack_file', 'image_width', 'image_height', 'image_bytes'],
    check: (at) => {
      at.field('alt_text').string(sizes.altText);
      imageSource(at);
    },
  },
  button: { required: ['text'], optional: ['value', 'url', 'style', 'confirm', 'accessibility_label'], check: button },
  workflow_button: {
    required: ['text', 'workflow'],
    optional: ['style', 'confirm', 'accessibility_label'],
    check: button,
  },
  icon_button: {
    required: ['icon', 'text'],
    optional: ['value', 'confirm', 'accessibility_label', 'visible_to_user_ids'],
    check: button,
  },
  feedback_buttons: {
    required: ['positive_button', 'negative_button'],
    check: (at) => {
      feedback(at.field('positive_button'));
      feedback(at.field('negative_button'));
    },
  },
  overflow: {
    required: ['options'],
    optional: ['confirm'],
    check: (at) => options(at.field('options'), 'overflow', sizes.overflowOptions),
  },
  checkboxes: {
    required: ['options'],
    optional: ['initial_options', 'confirm', 'focus_on_load'],
    check: choices,
  },
  radio_buttons: { required: ['options'], optional: ['initial_option', 'confirm', 'focus_on_load'], check: choices },
  static_select: { optional: [...menu, 'options', 'option_groups', 'initial_option'], check: fixed },
  multi_static_select: { optional: [...multi, 'options', 'option_groups', 'initial_options'], check: fixed },
  external_select: { optional: [...menu, 'min_query_length', 'initial_option'], check: external },
  multi_external_select: { optional: [...multi, 'min_query_length', 'initial_options'], check: external },
  users_select: { optional: [...menu, 'initial_user'], check: chosen('user') },
  multi_users_select: { optional: [...multi, 'initial_users'], check: chosen('user') },
  channels_select: { optional: [...menu, 'initial_channel', 'response_url_enabled'], check: chosen('channel') },
  multi_channels_select: { optional: [...multi, 'initial_channels'], check: chosen('channel') },
  conversations_select: {
    optional: [...menu, ...conversations, 'initial_conversation', 'response_url_enabled'],
    check: chosen('conversation'),
  },
  multi_conversations_select: {
    optional: [...multi, ...conversations, 'initial_conversations'],
    check: chosen('conversation'),
  },
};

/** An element, if its kind is allowed here. */
export function element(at: Check, types: readonly string[]): void {
  const rule = types.includes(at.type) ? rules[at.type] : undefined;
  if (rule === undefined) {
    at.field('type').fail(`unsupported type: ${at.type}`);
    return;
  }
  const identified = at.type === 'image' ? [] : ['action_id'];
  if (!at.keys(['type', ...(rule.required ?? [])], [...(rule.optional ?? []), ...identified])) return;
  at.optional('action_id', id);
  at.optional('placeholder', plain(sizes.placeholder));
  at.optional('confirm', confirm);
  at.optional('max_selected_items', (value) => value.integer(1, sizes.options));
  booleans(at, 'focus_on_load', 'response_url_enabled', 'default_to_current_conversation');
  rule.check?.(at);
}

const selects = ['static_select', 'external_select', 'users_select', 'channels_select', 'conversations_select'];
const pickers = [
  'checkboxes',
  'radio_buttons',
  'datepicker',
  'timepicker',
  ...selects,
  ...selects.map((s) => `multi_${s}`),
];

export const allowed = {
  section: ['button', 'workflow_button', 'image', 'overflow', ...pickers],
  actions: ['button', 'workflow_button', 'overflow', 'datetimepicker', 'rich_text_input', ...pickers],
  input: [
    'plain_text_input',
    'email_text_input',
    'url_text_input',
    'number_input',
    'rich_text_input',
    'file_input',
    'datetimepicker',
    ...pickers,
  ],
  contextActions: ['feedback_buttons', 'icon_button'],
} as const;
