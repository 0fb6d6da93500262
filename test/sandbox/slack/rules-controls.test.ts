import { messageIssues, type Obj } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { actions, type Broken, long, many, option, plain, plainButton } from './samples.js';
import { button, textField } from './support.js';

const broken: Broken[] = [
  ['26 actions', actions(...many(26, () => plainButton)), '/blocks/0/elements', 'no more than 25 items allowed'],
  [
    'same action_id twice',
    actions(button('a'), button('a')),
    '/blocks/0/elements/1/action_id',
    '"action_id" already exists: a',
  ],
  ['long action_id', actions(button(long(256))), '/blocks/0/elements/0/action_id', 'must be less than 256 characters'],
  [
    'long button text',
    actions(button('a', long(76))),
    '/blocks/0/elements/0/text/text',
    'must be less than 76 characters',
  ],
  [
    'long button value',
    actions({ ...button('a'), value: long(2001) }),
    '/blocks/0/elements/0/value',
    'must be less than 2001 characters',
  ],
  [
    'long button url',
    actions({ ...button('a'), url: `https://${long(3000)}` }),
    '/blocks/0/elements/0/url',
    'must be less than 3001 characters',
  ],
  [
    'button url that is none',
    actions({ ...button('a'), url: 'forge' }),
    '/blocks/0/elements/0/url',
    'must be a valid URL',
  ],
  [
    'unknown style',
    actions({ ...button('a'), style: 'default' }),
    '/blocks/0/elements/0/style',
    'must be one of: primary, danger',
  ],
  [
    'long accessibility label',
    actions({ ...button('a'), accessibility_label: long(76) }),
    '/blocks/0/elements/0/accessibility_label',
    'must be less than 76 characters',
  ],
  [
    'long confirm title',
    actions({ ...button('a'), confirm: { title: plain(long(101)), text: plain('a') } }),
    '/blocks/0/elements/0/confirm/title/text',
    'must be less than 101 characters',
  ],
  [
    'long confirm text',
    actions({ ...button('a'), confirm: { text: plain(long(301)) } }),
    '/blocks/0/elements/0/confirm/text/text',
    'must be less than 301 characters',
  ],
  [
    'long confirm button',
    actions({ ...button('a'), confirm: { text: plain('a'), deny: plain(long(31)) } }),
    '/blocks/0/elements/0/confirm/deny/text',
    'must be less than 31 characters',
  ],
  [
    'options in an external select',
    actions({ type: 'external_select', options: [option('a')] }),
    '/blocks/0/elements/0',
    'invalid additional property: options',
  ],
  [
    '6 in an overflow',
    actions({ type: 'overflow', options: many(6, (i) => option(`o${i}`)) }),
    '/blocks/0/elements/0/options',
    'no more than 5 items allowed',
  ],
  [
    '11 checkboxes',
    actions({ type: 'checkboxes', options: many(11, (i) => option(`o${i}`)) }),
    '/blocks/0/elements/0/options',
    'no more than 10 items allowed',
  ],
  [
    '11 radio buttons',
    actions({ type: 'radio_buttons', options: many(11, (i) => option(`o${i}`)) }),
    '/blocks/0/elements/0/options',
    'no more than 10 items allowed',
  ],
  [
    'a date that is none',
    actions({ type: 'datepicker', initial_date: 'tomorrow' }),
    '/blocks/0/elements/0/initial_date',
    'must be a date as YYYY-MM-DD',
  ],
  ['long label', textField('b', long(2001)), '/blocks/0/label/text', 'must be less than 2001 characters'],
  [
    'long hint',
    textField('b', 'L', { hint: plain(long(2001)) }),
    '/blocks/0/hint/text',
    'must be less than 2001 characters',
  ],
  [
    'max_length beyond 3000',
    textField('b', 'L', {}, { max_length: 3001 }),
    '/blocks/0/element/max_length',
    'must be between 1 and 3000',
  ],
  [
    'initial value beyond max_length',
    textField('b', 'L', {}, { max_length: 3, initial_value: 'four' }),
    '/blocks/0/element/initial_value',
    'must be less than 4 characters',
  ],
  [
    'empty initial value',
    textField('b', 'L', {}, { initial_value: '' }),
    '/blocks/0/element/initial_value',
    'must be more than 0 characters',
  ],
  [
    'button as input',
    { ...textField('b', 'L'), element: plainButton },
    '/blocks/0/element/type',
    'unsupported type: button',
  ],
  ...['https:', 'https://a b', 'javascript:1'].map(
    (url): Broken => [
      `button to ${url}`,
      actions({ ...button('a'), url }),
      '/blocks/0/elements/0/url',
      'must be a valid URL',
    ],
  ),
  [
    'date beyond the calendar',
    actions({ type: 'datepicker', initial_date: '2026-99-99' }),
    '/blocks/0/elements/0/initial_date',
    'must be a date as YYYY-MM-DD',
  ],
];

describe('buttons, inputs and pickers', () => {
  it.each(broken)('refuses: %s', (_, block, pointer, message) => {
    expect(messageIssues([block as Obj])).toContainEqual({ pointer, message });
  });
});
