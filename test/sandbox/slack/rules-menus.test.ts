import { messageIssues, type Obj } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { type Broken, long, many, mrkdwn, option, plain, select } from './samples.js';

const broken: Broken[] = [
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
    'no initial options',
    select({ type: 'multi_static_select', options: [option('a')], initial_options: [] }),
    '/blocks/0/elements/0/initial_options',
    'no less than 1 items allowed',
  ],
  [
    'initial options in words',
    select({ type: 'checkboxes', options: [option('a')], initial_options: 'a' }),
    '/blocks/0/elements/0/initial_options',
    'must be an array',
  ],
  [
    'initial user by number',
    select({ type: 'users_select', initial_user: 5 }),
    '/blocks/0/elements/0/initial_user',
    'must be a string',
  ],
  [
    'unknown filter',
    select({ type: 'conversations_select', filter: { only: 'mine' } }),
    '/blocks/0/elements/0/filter',
    'invalid additional property: only',
  ],
  [
    'filter for what is not a conversation',
    select({ type: 'conversations_select', filter: { include: ['threads'] } }),
    '/blocks/0/elements/0/filter/include/0',
    'must be one of: im, mpim, private, public',
  ],
];

describe('menus', () => {
  it.each(broken)('refuses: %s', (_, block, pointer, message) => {
    expect(messageIssues([block as Obj])).toContainEqual({ pointer, message });
  });
});
