import { messageIssues, type Obj } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { type Broken, long, many, mrkdwn, plain, rich } from './samples.js';
import { section } from './support.js';

const broken: Broken[] = [
  ['unknown block', { type: 'nonsense' }, '/blocks/0/type', 'unsupported type: nonsense'],
  ['unknown property', { ...section('a'), color: 'red' }, '/blocks/0', 'invalid additional property: color'],
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
  [
    'link that runs',
    rich({ type: 'rich_text_section', elements: [{ type: 'link', url: 'javascript:alert(1)' }] }),
    '/blocks/0/elements/0/elements/0/url',
    'must be a valid URL',
  ],
];

describe('text and layout blocks', () => {
  it.each(broken)('refuses: %s', (_, block, pointer, message) => {
    expect(messageIssues([block as Obj])).toContainEqual({ pointer, message });
  });
});
