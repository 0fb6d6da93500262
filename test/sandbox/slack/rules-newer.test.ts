import { messageIssues, type Obj } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { type Broken, long, many, mrkdwn, plain, plainButton, row } from './samples.js';

const series = (points: number) => ({ name: 's', data: many(points, (i) => ({ label: `l${i}`, value: i })) });
const line = (all: object[]) => ({ type: 'line', series: all, axis_config: { categories: ['l0'] } });
const chart = (extra: object) => ({ type: 'data_visualization', title: 't', chart: line([series(1)]), ...extra });

const broken: Broken[] = [
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
  [
    'long block_id on a carousel card',
    { type: 'carousel', elements: [{ type: 'card', title: mrkdwn('a'), block_id: long(256) }] },
    '/blocks/0/elements/0/block_id',
    'must be less than 256 characters',
  ],
  [
    'same block_id inside a container',
    {
      type: 'container',
      title: plain('a'),
      block_id: 'one',
      child_blocks: [{ type: 'divider', block_id: 'one' }],
    },
    '/blocks/0/child_blocks/0/block_id',
    '"block_id" already exists: one',
  ],
  ['long chart title', chart({ title: long(51) }), '/blocks/0/title', 'must be less than 51 characters'],
  [
    '13 series',
    chart({ chart: line(many(13, () => series(1))) }),
    '/blocks/0/chart/series',
    'no more than 12 items allowed',
  ],
  ['21 points', chart({ chart: line([series(21)]) }), '/blocks/0/chart/series/0/data', 'no more than 20 items allowed'],
  [
    'file from elsewhere',
    { type: 'file', external_id: 'f', source: 'disk' },
    '/blocks/0/source',
    'must be one of: remote',
  ],
  ['a type every object has', { type: 'constructor' }, '/blocks/0/type', 'unsupported type: constructor'],
];

describe('newer blocks', () => {
  it.each([
    ['a chart', chart({})],
    ['a remote file', { type: 'file', external_id: 'f', source: 'remote' }],
  ])('accepts: %s', (_, block) => {
    expect(messageIssues([block as Obj])).toEqual([]);
  });

  it.each(broken)('refuses: %s', (_, block, pointer, message) => {
    expect(messageIssues([block as Obj])).toContainEqual({ pointer, message });
  });
});
