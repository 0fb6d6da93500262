import { type Obj, viewIssues } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { long, many, mrkdwn, option, plain } from './samples.js';
import { modal, section, textField } from './support.js';

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
    ['yes for true', view({ clear_on_close: 'yes' }), '/view/clear_on_close', 'must be a boolean'],
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
