import { booleans, type Check } from './check.js';
import { sizes } from './limits.js';
import { richText } from './rich-text.js';
import type { Rule } from './rule.js';

const typed = ['placeholder', 'initial_value', 'dispatch_action_config', 'focus_on_load'];

/** An empty field is left out, never sent as an empty string. */
const initial = (max: number) => (at: Check) => at.optional('initial_value', (value) => value.string(max));

const dispatch = (at: Check): void =>
  at.optional('dispatch_action_config', (config) => {
    if (!config.keys([], ['trigger_actions_on'])) return;
    for (const each of config.field('trigger_actions_on').list(2)) {
      each.oneOf(['on_enter_pressed', 'on_character_entered']);
    }
  });

function plainTextInput(at: Check): void {
  booleans(at, 'multiline');
  at.optional('min_length', (value) => value.integer(0, sizes.inputLength));
  at.optional('max_length', (value) => value.integer(1, sizes.inputLength));
  const max = at.object['max_length'];
  const min = at.object['min_length'];
  if (typeof max === 'number' && typeof min === 'number' && min > max) {
    at.field('min_length').fail('must be less than max_length');
  }
  initial(typeof max === 'number' ? max : sizes.inputLength)(at);
  dispatch(at);
}

function numberInput(at: Check): void {
  booleans(at, 'is_decimal_allowed');
  for (const name of ['initial_value', 'min_value', 'max_value']) {
    at.optional(name, (value) => value.match(/^-?\d+(\.\d+)?$/, 'a number in a string'));
  }
  dispatch(at);
}

function calendarDay(at: Check): void {
  const day = typeof at.value === 'string' ? at.value : '';
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // a day past the month's end would come back as another one
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(day)) at.fail('must be a date as YYYY-MM-DD');
}

export const inputs: Record<string, Rule> = {
  plain_text_input: { optional: [...typed, 'multiline', 'min_length', 'max_length'], check: plainTextInput },
  email_text_input: { optional: typed, check: initial(sizes.inputLength) },
  url_text_input: { optional: typed, check: initial(sizes.url) },
  number_input: {
    required: ['is_decimal_allowed'],
    optional: [...typed, 'min_value', 'max_value'],
    check: numberInput,
  },
  rich_text_input: {
    optional: [...typed, 'min_lines', 'max_lines'],
    check: (at) => {
      at.optional('initial_value', richText);
      at.optional('min_lines', (value) => value.integer(1, 100));
      at.optional('max_lines', (value) => value.integer(1, 100));
      dispatch(at);
    },
  },
  file_input: {
    optional: ['filetypes', 'max_files'],
    check: (at) => at.optional('max_files', (value) => value.integer(1, 10)),
  },
  datepicker: {
    optional: ['initial_date', 'confirm', 'focus_on_load', 'placeholder'],
    check: (at) => at.optional('initial_date', calendarDay),
  },
  timepicker: {
    optional: ['initial_time', 'confirm', 'focus_on_load', 'placeholder', 'timezone'],
    check: (at) => at.optional('initial_time', (time) => time.match(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time as HH:mm')),
  },
  datetimepicker: {
    optional: ['initial_date_time', 'confirm', 'focus_on_load'],
    check: (at) => at.optional('initial_date_time', (time) => time.integer(1_000_000_000, 9_999_999_999)),
  },
};
