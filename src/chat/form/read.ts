import { z } from 'zod';
import { UserError } from '../../errors.js';
import type { AnyCommand } from '../command.js';
import { plainWords } from '../explain.js';
import { type Field, isClearable, isHidden, joinList, needsDefault, type Reading, standIn } from '../fields.js';
import { fieldsOf } from '../usage.js';
import type { FormMeta } from './meta.js';
import { type Joint, type Patterned, readAsked, readBlockId } from './questions.js';

const Option = z.object({ value: z.string().max(3000) });

/** What Slack sends for one element; which field is set depends on its type. */
const Element = z.object({
  value: z.string().max(3000).nullish(),
  selected_option: Option.nullish(),
  selected_options: z.array(Option).max(100).nullish(),
  selected_date: z.string().max(20).nullish(),
  selected_user: z.string().max(30).nullish(),
  selected_users: z.array(z.string().max(30)).max(100).nullish(),
});
const State = z.record(z.string(), z.record(z.string(), Element));

type ReadForm =
  | { readonly args: Readonly<Record<string, unknown>> }
  /** By block id, so that Slack shows each at its field. */
  | { readonly errors: Readonly<Record<string, string>> };

/** A submitted form as typed values, or what is wrong with them. */
export function readForm(command: AnyCommand, values: unknown, reading: Reading, meta: FormMeta): ReadForm {
  const state = State.safeParse(values);
  if (!state.success) throw new UserError('Could not read this form. Open it again.');
  const args: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const [name, field] of fieldsOf(command)) {
    const blocks = blocksOf(name, state.data);
    const [first] = blocks;
    try {
      const value = first ? readField(name, field, blocks, reading, meta) : presetValue(name, field, meta);
      if (meta.placeless && first && needsDefault(field, value)) throw new UserError('Choose a repository.');
      if (value !== undefined) args[name] = value;
    } catch (error) {
      if (!(error instanceof UserError) || !first) throw error;
      errors[first.id] = plainWords(error, reading.slash);
    }
  }
  const asks = command.form?.asks;
  if (asks?.into !== undefined && meta.asked)
    args[asks.into] = readAsked(meta.asked, (id) => {
      const [block] = blocksOf(id, state.data);
      return block && textOf(block);
    });
  return Object.keys(errors).length > 0 ? { errors } : { args };
}

/** The answers of a submitted form that must match a pattern. */
export function patternedIn(values: unknown, { patterns = {} }: FormMeta): readonly Patterned[] {
  const state = State.safeParse(values);
  return Object.entries(patterns).flatMap(([name, pattern]) => {
    const [block] = blocksOf(name, state.data ?? {});
    const text = block ? textOf(block).trim() : '';
    return block && text !== '' ? [{ id: block.id, text, pattern }] : [];
  });
}

/** The current values of an open form, without those that cannot be parsed yet. */
export function readDraft(
  command: AnyCommand,
  values: unknown,
  reading: Reading,
  meta: FormMeta,
): Readonly<Record<string, unknown>> {
  const state = State.safeParse(values);
  const found = fieldsOf(command).flatMap(([name, field]): [string, unknown][] => {
    const blocks = blocksOf(name, state.data ?? {});
    try {
      const value = blocks.length > 0 ? readField(name, field, blocks, reading, meta) : presetValue(name, field, meta);
      return value === undefined || value === null ? [] : [[name, value]];
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  });
  return Object.fromEntries(found);
}

interface Block {
  readonly id: string;
  readonly part: number;
  readonly joint: Joint;
  readonly element: z.infer<typeof Element>;
}

function blocksOf(name: string, state: z.infer<typeof State>): Block[] {
  const found = Object.entries(state).flatMap(([id, elements]) => {
    const read = readBlockId(id);
    const [element] = Object.values(elements);
    return read?.name === name && element ? [{ ...read, id, element }] : [];
  });
  return found.sort((a, b) => a.part - b.part);
}

function textOf({ element }: Block): string {
  const { value, selected_option, selected_options, selected_date, selected_user, selected_users } = element;
  if (selected_options) return joinList(selected_options.map((option) => option.value));
  if (selected_users) return selected_users.map((user) => `<@${user}>`).join(', ');
  if (selected_user) return `<@${selected_user}>`;
  return value ?? selected_option?.value ?? selected_date ?? '';
}

function readField(
  name: string,
  field: Field,
  blocks: readonly Block[],
  reading: Reading,
  { numbered, filled }: FormMeta,
): unknown {
  const typed = blocks.map((block, at) => (at === 0 ? '' : block.joint) + textOf(block)).join('');
  const number = numbered?.[name];
  const text = number === undefined ? typed : `${typed.trim()}#${number}`;
  if (field.input.kind === 'checkbox') return field.read(text === '' ? 'no' : text, reading);
  if (text.trim() !== '') return field.read(text, reading);
  if (filled === true && isClearable(field)) return null;
  if (!field.required) return undefined;
  return standIn(field) ?? field.read('', reading);
}

/** Fields the form did not show come from its metadata, validated like anything that came through Slack. */
function presetValue(name: string, field: Field, meta: FormMeta): unknown {
  const value = meta.preset?.[name];
  if (value === undefined) {
    const fallback = field.required && !isHidden(field) ? standIn(field) : undefined;
    if (fallback === undefined && field.required)
      throw new UserError(`${field.label} is missing. Open the form again.`);
    return fallback;
  }
  const read = field.schema.safeParse(value);
  if (read.success && field.secret !== true) return read.data;
  throw new UserError('This form is out of date. Open it again.');
}
