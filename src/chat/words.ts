import { UserError } from '../errors.js';
import type { Field, Reading } from './field.js';
import { type Mentions, unwrap, withoutMentions } from './slack-text.js';
import { type Token, textOf } from './tokens.js';
import { omissible } from './usage.js';

type Named = readonly [name: string, field: Field];

interface Written {
  readonly source: string;
  readonly words: readonly Token[];
  /** Everything below the first line, if the command takes a long text. */
  readonly tail: string;
  /** Fields whose value came from a flag. */
  readonly given: ReadonlyMap<string, string>;
}

export const isLong = (field: Field) =>
  field.typed === 'rest' && field.input.kind === 'text' && field.input.multiline === true;

/** Prose keeps mentions until the person's forge login is known; other text fields get `@ada`. */
function mentionsIn({ input, prose }: Field): Mentions {
  if (input.kind !== 'text') return 'keep';
  return prose ? 'people' : 'plain';
}

export function readNamed(name: string, field: Field, value: string, reading: Reading): unknown {
  try {
    return field.read(withoutMentions(value, mentionsIn(field)), reading);
  } catch (error) {
    throw error instanceof UserError ? new UserError(error.message, { field: name, cause: error }) : error;
  }
}

/** Reads bare words in the order of the fields. */
export function readWords(written: Written, fields: readonly Named[], reading: Reading): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  const open = fields.filter(([name, field]) => takesWords(field) && !written.given.has(name));
  let { words: left, tail: below } = written;
  for (const [at, [name, field]] of open.entries()) {
    if (field.typed === 'rest') {
      const mentions = mentionsIn(field);
      const head = textOf(written.source, left, mentions);
      const lines = isLong(field) ? [head, unwrap(below, mentions)] : [head];
      const text = lines.filter((line) => line !== '').join('\n');
      if (isLong(field)) below = '';
      left = [];
      if (text !== '') args[name] = readNamed(name, field, text, reading);
    } else if (left.length > 0) {
      const { count, value } = wordsFor(field, left, reading);
      if (at < open.length - 1 && omissible(field) && !fits(field, value, reading)) continue;
      args[name] = readNamed(name, field, value, reading);
      left = left.slice(count);
    }
  }
  if (left.length === 0) return args;
  throw new UserError(`This command does not take “${textOf(written.source, left).slice(0, 60)}”.`);
}

interface Taken {
  readonly count: number;
  readonly value: string;
}

/** `acme/web #6` is one reference written as two words. */
function wordsFor(field: Field, words: readonly Token[], reading: Reading): Taken {
  const count = listLength(words, field);
  const value = words
    .slice(0, count)
    .map((token) => token.value)
    .join(' ');
  const next = words[1];
  if (count !== 1 || !next || next.literal || !/^[#!]\d{1,16}$/.test(next.value)) return { count, value };
  const joined = value + next.value;
  return !fits(field, value, reading) && fits(field, joined, reading) ? { count: 2, value: joined } : { count, value };
}

/** The field whose free text has started with the last of these words; undefined before that. */
export function textBegun(
  words: readonly Token[],
  fields: readonly Named[],
  given: ReadonlyMap<string, string>,
  reading: Reading,
): Field | undefined {
  const open = fields.filter(([name, field]) => takesWords(field) && !given.has(name));
  let at = 0;
  for (const [, field] of open) {
    const left = words.slice(at);
    if (left.length === 0) return undefined;
    if (field.typed === 'rest') return field.prose ? field : undefined;
    const { count, value } = wordsFor(field, left, reading);
    if (!omissible(field) || fits(field, value, reading)) at += count;
  }
  return undefined;
}

const takesWords = ({ typed, secret }: Field) => secret !== true && (typed === 'word' || typed === 'rest');

export const takesMany = ({ input }: Field) => 'many' in input && input.many === true;

/** `a, b` and `a ,b` are two words of one list; a comma in quotes is part of a value. */
export function listLength(words: readonly Token[], field: Field): number {
  if (!takesMany(field)) return 1;
  const last = words.findIndex((token, at) => !goesOn(token) && !begins(words[at + 1]));
  return last === -1 ? words.length : last + 1;
}

const goesOn = ({ value, quoted }: Token) => value.endsWith(',') && !quoted;
const begins = (token: Token | undefined) => token?.value.startsWith(',') === true && !token.literal;

/** A word that cannot be this field belongs to the next one if this one is optional. */
function fits(field: Field, value: string, reading: Reading): boolean {
  try {
    field.read(value, reading);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
