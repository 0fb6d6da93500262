import { booleans, type Check } from './check.js';
import { allowed, element } from './elements.js';
import { sizes } from './limits.js';
import { richText } from './rich-text.js';
import type { Rule } from './rule.js';
import { mrkdwn, plain, text, webAddress } from './text.js';
import { textLength } from './text-length.js';

function cell(at: Check): void {
  if (at.type === 'rich_text') richText(at);
  else if (at.type === 'raw_text') {
    if (at.keys(['type', 'text'])) at.field('text').string(sizes.textObject);
  } else if (at.type === 'raw_number') {
    if (at.keys(['type', 'value', 'text'])) at.field('text').string(sizes.textObject);
  } else at.field('type').fail(`unsupported type: ${at.type}`);
}

const rows = (at: Check, max: number): void => {
  for (const row of at.field('rows').list(max)) for (const each of row.list(sizes.tableColumns)) cell(each);
};

function table(at: Check): void {
  rows(at, sizes.tableRows);
  at.optional('column_settings', (settings) => {
    for (const each of settings.list(sizes.tableColumns, 0)) {
      if (each.value === null || !each.keys([], ['align', 'is_wrapped'])) continue;
      each.optional('align', (align) => align.oneOf(['left', 'center', 'right']));
      booleans(each, 'is_wrapped');
    }
  });
}

function dataTable(at: Check): void {
  rows(at, sizes.dataTableRows);
  at.field('caption').string(sizes.textObject);
  at.optional('page_size', (size) => size.integer(1, sizes.dataTablePage));
  if (textLength(at.field('rows').value) > sizes.dataTableText) {
    at.field('rows').fail(`must be less than ${sizes.dataTableText + 1} characters`);
  }
}

const image = (at: Check): void => element(at, ['image']);

function card(at: Check): void {
  const parts = ['hero_image', 'title', 'actions', 'body'];
  if (!parts.some((name) => at.has(name))) at.fail(`must provide one of: ${parts.join(', ')}`);
  at.optional('hero_image', image);
  at.optional('icon', image);
  at.optional('title', mrkdwn(sizes.cardTitle));
  at.optional('subtitle', mrkdwn(sizes.cardTitle));
  at.optional('body', mrkdwn(sizes.cardBody));
  at.optional('actions', (actions) => {
    for (const each of actions.list(sizes.cardActions)) element(each, ['button']);
  });
}

const cardKeys = ['hero_image', 'icon', 'title', 'subtitle', 'body', 'actions'];

function carousel(at: Check): void {
  for (const each of at.field('elements').list(sizes.carouselCards)) {
    if (each.type !== 'card') each.field('type').fail(`unsupported type: ${each.type}`);
    else if (each.keys(['type'], [...cardKeys, 'block_id'])) card(each);
    each.optional('block_id', (id) => id.string(sizes.identifier));
  }
}

/** Its children are checked by the caller, which knows every block. */
function container(at: Check): void {
  if (!at.has('title') && !at.has('rich_text_title')) at.fail('missing required field: title');
  at.optional('title', plain(sizes.containerTitle));
  at.optional('rich_text_title', richText);
  at.optional('subtitle', (subtitle) => text(subtitle, sizes.containerTitle));
  at.optional('width', (width) => width.oneOf(['narrow', 'standard', 'wide', 'full']));
  at.optional('icon', image);
  booleans(at, 'is_collapsible', 'default_collapsed', 'has_header_divider');
}

const taskKeys = ['details', 'output', 'sources'];

function task(at: Check): void {
  at.field('title').string(sizes.textObject);
  at.field('status').oneOf(['pending', 'in_progress', 'complete', 'error']);
  at.optional('details', richText);
  at.optional('output', richText);
  at.optional('sources', (sources) => {
    for (const each of sources.list(sizes.options, 0)) {
      if (each.keys(['type', 'url', 'text'])) webAddress(each.field('url'));
    }
  });
}

function plan(at: Check): void {
  at.field('title').string(sizes.textObject);
  for (const each of at.field('tasks').items) {
    if (each.keys(['type', 'task_id', 'title', 'status'], [...taskKeys, 'block_id'])) task(each);
  }
}

/** Slices of a pie, or series over an axis. */
function chart(at: Check): void {
  at.field('type').oneOf(['pie', 'bar', 'area', 'line']);
  if (at.type === 'pie') {
    if (at.keys(['type', 'segments'])) at.field('segments').list(sizes.chartSeries);
    return;
  }
  if (!at.keys(['type', 'series', 'axis_config'])) return;
  for (const each of at.field('series').list(sizes.chartSeries)) {
    if (each.keys(['name', 'data'])) each.field('data').list(sizes.chartPoints);
  }
}

export const newer: Record<string, Rule> = {
  markdown: { required: ['text'], surfaces: ['message'], check: (at) => at.field('text').string(sizes.markdownText) },
  table: { required: ['rows'], optional: ['column_settings'], surfaces: ['message'], check: table },
  data_table: {
    required: ['rows', 'caption'],
    optional: ['page_size', 'row_header_column_index'],
    surfaces: ['message'],
    check: dataTable,
  },
  alert: {
    required: ['text'],
    optional: ['level'],
    check: (at) => {
      text(at.field('text'), sizes.alertText);
      at.optional('level', (level) => level.oneOf(['default', 'info', 'warning', 'error', 'success']));
    },
  },
  card: { optional: cardKeys, check: card },
  carousel: { required: ['elements'], check: carousel },
  container: {
    required: ['child_blocks'],
    optional: [
      ...['title', 'rich_text_title', 'subtitle', 'width', 'icon'],
      ...['is_collapsible', 'default_collapsed', 'has_header_divider'],
    ],
    check: container,
  },
  data_visualization: {
    required: ['title', 'chart'],
    surfaces: ['message'],
    check: (at) => {
      at.field('title').string(sizes.chartTitle);
      chart(at.field('chart'));
    },
  },
  context_actions: {
    required: ['elements'],
    surfaces: ['message'],
    check: (at) => {
      for (const each of at.field('elements').list(sizes.contextActions)) element(each, allowed.contextActions);
    },
  },
  task_card: { required: ['task_id', 'title', 'status'], optional: taskKeys, surfaces: ['message'], check: task },
  plan: { required: ['title'], optional: ['tasks'], surfaces: ['message'], check: plan },
};
