import { describe, expect, it } from 'vitest';
import { messageIssues, type Obj, viewIssues } from '../../../src/sandbox/slack/index.js';
import { button, clientOf, general, modal, refusal, section, slackFor, textField } from './support.js';

const long = (length: number) => 'x'.repeat(length);
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const option = (text: string, value = text) => ({ text: plain(text), value });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const select = (extra: object) => actions({ type: 'static_select', action_id: 'a', ...extra });
const rich = (...elements: object[]) => ({ type: 'rich_text', elements });
const row = (count: number) => many(count, () => ({ type: 'raw_text', text: 'x' }));

const plainButton = { type: 'button', text: plain('ok') };

// each: what is wrong, the block, where Slack points, what it says
const broken: [string, object, string, string][] = [
  ['unknown block', { type: 'nonsense' }, '/blocks/0/type', 'unsupported type: nonsense'],
  ['unknown property', { ...section('a'), colour: 'red' }, '/blocks/0', 'invalid additional property: colour'],
  ['long block_id', { ...section('a'), block_id: long(256) }, '/blocks/0/block_id', 'must be less than 256 characters'],
  ['empty section', { type: 'section' }, '/blocks/0', 'missing required field: text or fields'],
  ['empty text', section(''), '/blocks/0/text/text', 'must be more than 0 characters'],
  ['long section', section(long(3001)), '/blocks/0/text/text', 'must be less than 3001 characters'],
  [
    '11 fields',
    { type: 'section', fields: many(11, () => mrkdwn('a')) },
    '/blocks/0/fields',
    'no more than 10 items allowed',
  ],
  [
    'long field',
    { type: 'section', fields: [mrkdwn(long(2001))] },
    '/blocks/0/fields/0/text',
    'must be less than 2001 characters',
  ],
  [
    'input as accessory',
    { ...section('a'), accessory: { type: 'plain_text_input' } },
    '/blocks/0/accessory/type',
    'unsupported type: plain_text_input',
  ],
  [
    'emoji on mrkdwn',
    { type: 'section', text: { ...mrkdwn('a'), emoji: true } },
    '/blocks/0/text',
    'invalid additional property: emoji',
  ],
  [
    'long header',
    { type: 'header', text: plain(long(151)) },
    '/blocks/0/text/text',
    'must be less than 151 characters',
  ],
  ['mrkdwn header', { type: 'header', text: mrkdwn('a') }, '/blocks/0/text/type', 'must be one of: plain_text'],
  [
    '11 in context',
    { type: 'context', elements: many(11, () => mrkdwn('a')) },
    '/blocks/0/elements',
    'no more than 10 items allowed',
  ],
  ['empty context', { type: 'context', elements: [] }, '/blocks/0/elements', 'no less than 1 items allowed'],
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
  ['no options', select({ options: [] }), '/blocks/0/elements/0/options', 'no less than 1 items allowed'],
  ['neither options nor groups', select({}), '/blocks/0/elements/0', 'must provide either options or option_groups'],
  [
    '101 options',
    select({ options: many(101, (i) => option(`o${i}`)) }),
    '/blocks/0/elements/0/options',
    'no more than 100 items allowed',
  ],
  [
    '101 groups',
    select({ option_groups: many(101, () => ({ label: plain('g'), options: [option('o')] })) }),
    '/blocks/0/elements/0/option_groups',
    'no more than 100 items allowed',
  ],
  [
    'long group label',
    select({ option_groups: [{ label: plain(long(76)), options: [option('o')] }] }),
    '/blocks/0/elements/0/option_groups/0/label/text',
    'must be less than 76 characters',
  ],
  [
    'long option',
    select({ options: [option(long(76), 'v')] }),
    '/blocks/0/elements/0/options/0/text/text',
    'must be less than 76 characters',
  ],
  [
    'long option value',
    select({ options: [option('o', long(151))] }),
    '/blocks/0/elements/0/options/0/value',
    'must be less than 151 characters',
  ],
  [
    'long description',
    select({ options: [{ ...option('o'), description: plain(long(76)) }] }),
    '/blocks/0/elements/0/options/0/description/text',
    'must be less than 76 characters',
  ],
  [
    'mrkdwn in a menu',
    select({ options: [{ text: mrkdwn('o'), value: 'o' }] }),
    '/blocks/0/elements/0/options/0/text/type',
    'must be one of: plain_text',
  ],
  [
    'initial option not offered',
    select({ options: [option('a')], initial_option: option('b') }),
    '/blocks/0/elements/0/initial_option',
    'must match one of the provided options',
  ],
  [
    'long placeholder',
    select({ options: [option('a')], placeholder: plain(long(151)) }),
    '/blocks/0/elements/0/placeholder/text',
    'must be less than 151 characters',
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
  [
    'image without alt text',
    { type: 'image', image_url: 'https://x.test/a.png' },
    '/blocks/0',
    'missing required field: alt_text',
  ],
  [
    'long alt text',
    { type: 'image', image_url: 'https://x.test/a.png', alt_text: long(2001) },
    '/blocks/0/alt_text',
    'must be less than 2001 characters',
  ],
  [
    'long image url',
    { type: 'image', image_url: `https://${long(3000)}`, alt_text: 'a' },
    '/blocks/0/image_url',
    'must be less than 3001 characters',
  ],
  [
    'rich text without section',
    rich({ type: 'text', text: 'a' }),
    '/blocks/0/elements/0/type',
    'unsupported type: text',
  ],
  [
    'empty rich text',
    rich({ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }),
    '/blocks/0/elements/0/elements/0/text',
    'must be more than 0 characters',
  ],
  [
    'mention in preformatted',
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U1' }] }),
    '/blocks/0/elements/0/elements/0/type',
    'unsupported type: user',
  ],
  [
    'list of plain text',
    rich({ type: 'rich_text_list', style: 'bullet', elements: [{ type: 'text', text: 'a' }] }),
    '/blocks/0/elements/0/elements/0/type',
    'unsupported type: text',
  ],
  [
    'list indent 9',
    rich({
      type: 'rich_text_list',
      style: 'bullet',
      indent: 9,
      elements: [{ type: 'rich_text_section', elements: [] }],
    }),
    '/blocks/0/elements/0/indent',
    'must be between 0 and 8',
  ],
  ['long markdown', { type: 'markdown', text: long(12_001) }, '/blocks/0/text', 'must be less than 12001 characters'],
  [
    '101 table rows',
    { type: 'table', rows: many(101, () => row(1)) },
    '/blocks/0/rows',
    'no more than 100 items allowed',
  ],
  ['21 table columns', { type: 'table', rows: [row(21)] }, '/blocks/0/rows/0', 'no more than 20 items allowed'],
  [
    'data table without caption',
    { type: 'data_table', rows: [row(1)] },
    '/blocks/0',
    'missing required field: caption',
  ],
  [
    '202 data table rows',
    { type: 'data_table', caption: 'c', rows: many(202, () => row(1)) },
    '/blocks/0/rows',
    'no more than 201 items allowed',
  ],
  [
    'data table page of 101',
    { type: 'data_table', caption: 'c', rows: [row(1)], page_size: 101 },
    '/blocks/0/page_size',
    'must be between 1 and 100',
  ],
  [
    'long card body',
    { type: 'card', body: mrkdwn(long(201)) },
    '/blocks/0/body/text',
    'must be less than 201 characters',
  ],
  [
    'long card title',
    { type: 'card', title: mrkdwn(long(151)) },
    '/blocks/0/title/text',
    'must be less than 151 characters',
  ],
  [
    '4 card actions',
    { type: 'card', title: mrkdwn('a'), actions: many(4, () => plainButton) },
    '/blocks/0/actions',
    'no more than 3 items allowed',
  ],
  ['empty card', { type: 'card' }, '/blocks/0', 'must provide one of: hero_image, title, actions, body'],
  [
    '11 cards',
    { type: 'carousel', elements: many(11, () => ({ type: 'card', title: mrkdwn('a') })) },
    '/blocks/0/elements',
    'no more than 10 items allowed',
  ],
  [
    '11 in a container',
    { type: 'container', title: plain('a'), child_blocks: many(11, () => ({ type: 'divider' })) },
    '/blocks/0/child_blocks',
    'no more than 10 items allowed',
  ],
  [
    'container in a container',
    {
      type: 'container',
      title: plain('a'),
      child_blocks: [{ type: 'container', title: plain('b'), child_blocks: [] }],
    },
    '/blocks/0/child_blocks/0/type',
    'unsupported type: container',
  ],
  [
    'unknown alert level',
    { type: 'alert', text: plain('a'), level: 'loud' },
    '/blocks/0/level',
    'must be one of: default, info, warning, error, success',
  ],
  ['long alert', { type: 'alert', text: plain(long(201)) }, '/blocks/0/text/text', 'must be less than 201 characters'],
  [
    '6 context actions',
    { type: 'context_actions', elements: many(6, () => ({ type: 'icon_button', icon: 'trash', text: plain('a') })) },
    '/blocks/0/elements',
    'no more than 5 items allowed',
  ],
];

describe('blocks of a message', () => {
  it.each(broken)('refuses: %s', (_, block, pointer, message) => {
    expect(messageIssues([block as Obj])).toContainEqual({ pointer, message });
  });

  it('refuses more than 50 blocks', () => {
    const issues = messageIssues(many(51, () => ({ type: 'divider' })));
    expect(issues).toEqual([{ pointer: '/blocks', message: 'no more than 50 items allowed' }]);
  });

  it('refuses a block_id used twice', () => {
    const issues = messageIssues([
      { type: 'divider', block_id: 'a' },
      { type: 'divider', block_id: 'a' },
    ]);
    expect(issues).toEqual([{ pointer: '/blocks/1/block_id', message: '"block_id" already exists: a' }]);
  });

  it('adds markdown blocks up', () => {
    const text = long(7000);
    const issues = messageIssues([
      { type: 'markdown', text },
      { type: 'markdown', text },
    ]);
    expect(issues).toEqual([
      { pointer: '/blocks', message: 'markdown text must be less than 12001 characters in all' },
    ]);
  });

  it('accepts what is just within every limit', () => {
    const issues = messageIssues([
      { ...section(long(3000)), accessory: { type: 'overflow', options: many(5, (i) => option(`o${i}`)) } },
      { type: 'section', fields: many(10, () => mrkdwn(long(2000))) },
      { type: 'header', text: plain(long(150)) },
      { type: 'context', elements: many(10, () => mrkdwn('a')) },
      actions(...many(25, (i) => ({ ...button(`b${i}`, long(75)), value: long(2000) }))),
      select({ options: many(100, (i) => option(`${i}`.padEnd(75, 'x'), `${i}`.padEnd(150, 'x'))) }),
      rich({ type: 'rich_text_section', elements: [{ type: 'text', text: 'a', style: { bold: true } }] }),
      { type: 'image', image_url: 'https://x.test/a.png', alt_text: 'a' },
      { type: 'table', rows: many(100, () => row(20)) },
    ] as Obj[]);
    expect(issues).toEqual([]);
  });

  it('answers a post with the pointers in words', async () => {
    const slack = await slackFor();
    const blocks = [actions(button('a', long(76)))];
    const answer = await refusal(clientOf(slack).apiCall('chat.postMessage', { channel: general, text: 'a', blocks }));
    expect(answer).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: {
        messages: ['[ERROR] must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]'],
      },
    });
    expect(slack.failures.of('invalid_blocks')).toHaveLength(1);
  });

  it('refuses blocks that are too long together', async () => {
    const slack = await slackFor();
    const blocks = many(5, () => section(long(2900)));
    const call = clientOf(slack).chat.postMessage({ channel: general, text: 'a', blocks });
    expect(await refusal(call)).toMatchObject({ error: 'msg_blocks_too_long' });
  });
});

const view = (extra: object, blocks: object[] = [section('a')]): Obj => ({ ...modal('c', blocks), ...extra }) as Obj;

describe('views', () => {
  it.each([
    ['long title', view({ title: plain(long(25)) }), '/view/title/text', 'must be less than 25 characters'],
    ['long submit', view({ submit: plain(long(25)) }), '/view/submit/text', 'must be less than 25 characters'],
    ['long close', view({ close: plain(long(25)) }), '/view/close/text', 'must be less than 25 characters'],
    [
      'long metadata',
      view({ private_metadata: long(3001) }),
      '/view/private_metadata',
      'must be less than 3001 characters',
    ],
    ['long callback_id', view({ callback_id: long(256) }), '/view/callback_id', 'must be less than 256 characters'],
    [
      'input without submit',
      view({ submit: undefined }, [textField('b', 'L')]),
      '/view',
      'missing required field: submit',
    ],
    [
      '101 blocks',
      view(
        {},
        many(101, () => ({ type: 'divider' })),
      ),
      '/view/blocks',
      'no more than 100 items allowed',
    ],
    [
      'markdown in a form',
      view({}, [{ type: 'markdown', text: 'a' }]),
      '/view/blocks/0/type',
      'unsupported type: markdown',
    ],
    [
      'two in focus',
      view({}, [textField('a', 'A', {}, { focus_on_load: true }), textField('b', 'B', {}, { focus_on_load: true })]),
      '/view/blocks',
      'only one element can set focus_on_load',
    ],
    ['no title', { type: 'modal', blocks: [] }, '/view', 'missing required field: title'],
  ])('refuses: %s', (_, payload, pointer, message) => {
    expect(viewIssues(payload as Obj)).toContainEqual({ pointer, message });
  });

  it('accepts a form with one of each input', () => {
    const elements = [
      { type: 'plain_text_input', multiline: true, max_length: 3000 },
      { type: 'email_text_input' },
      { type: 'url_text_input' },
      { type: 'number_input', is_decimal_allowed: false },
      { type: 'rich_text_input' },
      { type: 'external_select', min_query_length: 0, initial_option: option('a') },
      { type: 'multi_external_select', min_query_length: 0, max_selected_items: 3 },
      { type: 'multi_static_select', options: [option('a')], initial_options: [option('a')] },
      { type: 'users_select' },
      { type: 'conversations_select', response_url_enabled: true, default_to_current_conversation: true },
      { type: 'checkboxes', options: [{ text: mrkdwn('*a*'), value: 'a' }] },
      { type: 'datepicker', initial_date: '2026-12-01' },
      { type: 'timepicker', initial_time: '22:25' },
    ];
    const blocks = elements.map((element, i) => ({
      type: 'input',
      block_id: `b${i}`,
      label: plain('L'),
      element: { action_id: 'value', ...element },
    }));
    expect(viewIssues(view({}, blocks))).toEqual([]);
  });
});
