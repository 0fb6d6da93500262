import { z } from 'zod';
import { UserError } from '../../errors.js';
import { didYouMean, nearest } from '../../nearest.js';
import type { Choice } from '../field.js';
import { joinList, splitList } from './lists.js';
import { type Needed, type Optional, plainField, type Words } from './make.js';

type ChoiceWords = Words & { readonly label: string; readonly labels?: Readonly<Record<string, string>> };

/** As people write it: the forge uses the British spelling of one state. */
const wordOf = (value: string) => value.replace(/cancelled$/, 'canceled');

/** The words of cards for the forge's own. */
const asShown: Readonly<Record<string, string>> = {
  failed: 'failure',
  failing: 'failure',
  passed: 'success',
  passing: 'success',
  green: 'success',
  red: 'failure',
  running: 'in_progress',
  canceled: 'cancelled',
};

/** `in_progress` is shown as “In progress”. */
function labelOf(value: string): string {
  const words = wordOf(value).replaceAll(/[_-]/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

const drawn = (values: readonly string[], labels: Readonly<Record<string, string>> = {}): Choice[] =>
  values.map((value) => ({ value: wordOf(value), label: labels[value] ?? labelOf(value) }));

function pick<V extends string>(values: readonly V[], text: string, label: string): V {
  const word = text.trim().toLowerCase();
  const found =
    values.find((value) => [value, wordOf(value)].some((known) => known.toLowerCase() === word)) ??
    values.find((value) => value === asShown[word]);
  if (found !== undefined) return found;
  const list = values.map(wordOf).join(', ');
  if (word === '') throw new UserError(`Choose one for ${label.toLowerCase()}: ${list}.`);
  const typed = word.slice(0, 40);
  const meant = didYouMean(nearest(typed, values.map(wordOf)));
  throw new UserError(`“${typed}” is not one of the options for ${label}: ${list}.${meant}`);
}

/** One of a few words. */
export function choice<const V extends string>(values: readonly [V, ...V[]], options: ChoiceWords): Needed<V> {
  return plainField<V>(options, {
    label: options.label,
    placeholder: values.map(wordOf).join('|'),
    input: { kind: 'choice', choices: drawn(values, options.labels) },
    schema: z.enum(values),
    read: (text) => pick(values, text, options.label),
    show: wordOf,
  });
}

/** Some of a few words, separated by commas. */
export function choices<const V extends string>(
  values: readonly [V, ...V[]],
  options: ChoiceWords,
): Needed<readonly V[]> {
  return plainField<readonly V[]>(options, {
    label: options.label,
    placeholder: `${values.slice(0, 2).join(',')}${values.length > 2 ? ',…' : ''}`,
    input: { kind: 'choice', choices: drawn(values, options.labels), many: true },
    schema: z.array(z.enum(values)).min(1).max(values.length).readonly(),
    read: (text) => {
      const words = splitList(text);
      return [...new Set((words.length === 0 ? [''] : words).map((word) => pick(values, word, options.label)))];
    },
    show: (chosen) => joinList(chosen.map(wordOf)),
  });
}

const yes = /^(|yes|on|true|y|1)$/i;
const no = /^(no|off|false|n|0)$/i;

/** `--name` or `--no-name`; a tick in the form. */
export function toggle(options: Words & { readonly label: string; readonly text?: string }): Optional<boolean> {
  const field = plainField<boolean>(options, {
    label: options.label,
    placeholder: 'yes|no',
    typed: 'switch',
    input: { kind: 'checkbox', text: options.text ?? options.label },
    schema: z.boolean(),
    read: (text) => {
      if (yes.test(text.trim())) return true;
      if (no.test(text.trim())) return false;
      throw new UserError(`${options.label} is on or off: write yes or no.`);
    },
    show: (value) => (value ? 'yes' : 'no'),
  });
  return { ...field, required: false };
}
