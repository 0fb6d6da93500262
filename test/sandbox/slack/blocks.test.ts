import { messageIssues, type Obj } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { actions, long, many, mrkdwn, option, plain, rich, row, select } from './samples.js';
import { button, clientOf, general, refusal, section, slackFor } from './support.js';

describe('blocks of a message', () => {
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

  it('adds up markdown blocks', () => {
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

  it('answers a post with the pointers as text', async () => {
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
