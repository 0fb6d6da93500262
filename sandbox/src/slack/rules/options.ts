import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../json.js';
import { Check, type Issue } from './check.js';
import { sizes } from './limits.js';
import { plain, text, webAddress } from './text.js';

type Kind = 'menu' | 'overflow' | 'choice';

export function option(at: Check, kind: Kind): void {
  const extra = kind === 'overflow' ? ['description', 'url'] : ['description'];
  if (!at.keys(['text', 'value'], extra)) return;
  text(at.field('text'), sizes.optionText, kind === 'choice' ? ['plain_text', 'mrkdwn'] : ['plain_text']);
  at.optional('value', (value) => value.string(sizes.optionValue));
  at.optional('description', (description) =>
    text(description, sizes.optionText, kind === 'choice' ? ['plain_text', 'mrkdwn'] : ['plain_text']),
  );
  at.optional('url', webAddress);
}

export function options(at: Check, kind: Kind, max: number, min = 1): void {
  for (const item of at.list(max, min)) option(item, kind);
}

function optionGroups(at: Check, min = 1): void {
  for (const group of at.list(sizes.optionGroups, min)) {
    if (!group.keys(['label', 'options'])) continue;
    plain(sizes.optionText)(group.field('label'));
    options(group.field('options'), 'menu', sizes.options);
  }
}

/** Either a flat list or groups; an initial choice must be one of those offered. */
export function offered(at: Check): void {
  if (at.has('options') === at.has('option_groups')) at.fail('must provide either options or option_groups');
  at.optional('options', (list) => options(list, 'menu', sizes.options));
  at.optional('option_groups', (groups) => optionGroups(groups));
}

export function initialAmong(at: Check): void {
  const choices = [
    ...at.field('options').items,
    ...at.field('option_groups').items.flatMap((group) => group.field('options').items),
  ];
  const known = (value: Json | undefined) => choices.some((choice) => isDeepStrictEqual(choice.value, value));
  const one = at.field('initial_option');
  if (at.has('initial_option') && !known(one.value)) one.fail('must match one of the provided options');
  at.optional('initial_options', (initial) => {
    for (const each of initial.list(sizes.options)) {
      if (!known(each.value)) each.fail('must match one of the provided options');
    }
  });
}

/** The answer to a block_suggestion. */
export function suggestionIssues(answer: Json | undefined): Issue[] {
  const at = new Check(answer, '', []);
  if (!at.keys([], ['options', 'option_groups'])) return at.issues;
  if (at.has('options') === at.has('option_groups')) at.fail('must provide either options or option_groups');
  at.optional('options', (list) => options(list, 'menu', sizes.options, 0));
  at.optional('option_groups', (groups) => optionGroups(groups, 0));
  return at.issues;
}
