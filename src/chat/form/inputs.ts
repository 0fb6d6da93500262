import type { InputBlock } from '@slack/types';
import {
  checkboxes,
  datePicker,
  externalSelect,
  fitsInput,
  select,
  textInput,
  usersSelect,
} from '../../view/inputs.js';
import { limits } from '../../view/limits.js';
import type { Field, OptionSource } from '../field.js';
import { splitList } from '../fields/lists.js';
import { withoutMentions } from '../slack-text.js';
import { inWords } from '../usage.js';
import type { Joint } from './ids.js';

type Element = InputBlock['element'];

const searchItem = 'Search, or paste #12 or an address';

/** A menu's placeholder. */
const searchFor: Readonly<Record<OptionSource, string>> = {
  repositories: 'Search by name or owner',
  items: searchItem,
  issues: searchItem,
  pulls: searchItem,
  'open-issues': searchItem,
  'open-pulls': searchItem,
  'closed-issues': searchItem,
  'closed-pulls': searchItem,
  runs: 'Search, or paste an address',
  workflows: 'Choose a workflow',
  subscriptions: 'Choose a subscription',
  people: 'Search by name or login',
  labels: 'Choose labels',
  milestones: 'Choose a milestone',
  branches: 'Choose a branch',
  teams: 'Choose teams',
  templates: 'Choose a template',
};

/** The Slack element for a field, with its initial text. */
export function elementOf(name: string, field: Field, text: string): Element {
  const { input } = field;
  const placeholder = inWords(field.placeholder);
  const values = 'many' in input && input.many === true ? splitList(text) : [text].filter((value) => value !== '');
  switch (input.kind) {
    case 'text':
      return textElement(name, field, text);
    case 'choice':
      if (input.many === true && input.choices.length <= limits.checkboxes)
        return checkboxes({ action: name, choices: input.choices, initial: values });
      return select({
        action: name,
        choices: input.choices,
        initial: values,
        many: input.many,
        placeholder: input.many === true ? 'Choose any' : 'Choose one',
      });
    case 'external': {
      // A value too long for a menu is edited as text.
      if (values.some((value) => value.length > limits.option.value)) return textInput({ action: name, initial: text });
      const initial = values.map((value) => ({ value, label: withoutMentions(value) }));
      return externalSelect({ action: name, initial, many: input.many, placeholder: searchFor[input.source] });
    }
    case 'slackUsers': {
      const users = [...text.matchAll(/<@([UW][A-Z0-9]+)/g)].map((match) => match[1] ?? '');
      return usersSelect({ action: name, initial: users, many: input.many, placeholder });
    }
    case 'date':
      return datePicker({ action: name, initial: text, placeholder: 'Choose a date' });
    case 'checkbox':
      return checkboxes({ action: name, choices: [{ value: 'yes', label: input.text }], initial: [text] });
  }
}

function textElement(name: string, field: Field, text: string): Element {
  const { input, secret } = field;
  const placeholder = inWords(field.placeholder);
  const { multiline, max } = input.kind === 'text' ? input : {};
  return textInput({ action: name, multiline, max, placeholder, ...(secret === true ? {} : { initial: text }) });
}

const mostParts = 20;

export interface Part {
  readonly text: string;
  /** What separated this part from the previous one. */
  readonly joint: Joint;
}

/** Splits a long text into several inputs at a line or a word; undefined if it is too long even then. */
export function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = [];
  let [left, joint]: [string, Joint] = [text, ''];
  while (!fitsInput(left)) {
    const cut = cutOf(left.slice(0, limits.textInput - 1));
    parts.push({ text: left.slice(0, cut.end), joint });
    if (parts.length === mostParts) return undefined;
    left = left.slice(cut.end + cut.joint.length);
    joint = cut.joint;
  }
  return [...parts, { text: left, joint }];
}

function cutOf(room: string): { readonly end: number; readonly joint: Joint } {
  const found = (['\n', ' '] as const).find((joint) => room.lastIndexOf(joint) > room.length / 2);
  if (found !== undefined) return { end: room.lastIndexOf(found), joint: found };
  // Never split a character.
  const half = /[\uD800-\uDBFF]$/.test(room) ? 1 : 0;
  return { end: room.length - half, joint: '' };
}
