import type { z } from 'zod';
import { UserError } from '../../errors.js';
import type { Context } from '../context.js';
import type { Field, InputShape, Reading } from '../field.js';

/** `required` is a literal type in every factory, so that a command's arguments are exact. */
export type Needed<Typed, Resolved = Typed> = Field<Typed, Resolved> & { readonly required: true };
export type Optional<Typed, Resolved = Typed> = Field<Typed, Resolved> & { readonly required: false };

/** What a command may word itself. */
export interface Words {
  readonly label?: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

interface Definition<Typed> {
  readonly label: string;
  readonly placeholder: string;
  readonly typed?: Field['typed'];
  readonly input: InputShape;
  readonly secret?: true;
  readonly prose?: true;
  readonly schema: z.ZodType<Typed>;
  read(text: string, reading: Reading): Typed;
  show(value: Typed): string;
}

/** A field that needs no lookup: the command receives what was typed. */
export function plainField<Typed>(words: Words, definition: Definition<Typed>): Needed<Typed> {
  return askingField(words, { ...definition, resolve: (value) => value });
}

/** A field whose value depends on the channel or on linked people. */
export function askingField<Typed, Resolved>(
  words: Words,
  definition: Definition<Typed> & { resolve(value: Typed, context: Context): Promise<Resolved> | Resolved },
): Needed<Typed, Resolved> {
  const { label, hint, placeholder } = words;
  return {
    typed: 'word',
    ...definition,
    required: true,
    ...(label !== undefined && { label }),
    ...(hint !== undefined && { hint }),
    ...(placeholder !== undefined && { placeholder }),
  };
}

/** Makes a field optional. */
export function optional<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, required: false };
}

/** `--name value`, optional. */
export function flag<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, required: false, typed: 'flag' };
}

/** `--name value`, required. */
export function named<Typed, Resolved>(field: Field<Typed, Resolved>): Needed<Typed, Resolved> {
  return { ...field, required: true, typed: 'flag' };
}

/** Takes all remaining words instead of one. */
export function trailing<F extends Field<never, unknown> | Field<unknown, unknown>>(field: F): F {
  return { ...field, typed: 'rest' };
}

const clearHint = 'Write none to clear it.';
const nothing = /^(none|nobody|never|nothing|-)$/i;

/** `none` clears the current value: the command receives null. */
export function clearable<Typed, Resolved>(field: Field<Typed, Resolved>): Needed<Typed | null, Resolved | null> {
  return {
    ...field,
    required: true,
    hint: field.hint ?? clearHint,
    schema: field.schema.nullable(),
    read: (text, reading) => (nothing.test(text.trim()) ? null : field.read(text, reading)),
    show: (value) => (value === null ? 'none' : field.show(value)),
    resolve: (value, context) => (value === null ? null : field.resolve(value, context)),
  };
}

export const isClearable = (field: Field) => field.schema.safeParse(null).success;

/** In a form people clear the field instead of typing none; menus and date pickers take no text. */
export function formHint(field: Field, filled: boolean): string | undefined {
  if (field.hint !== clearHint) return field.hint;
  if (filled) return 'Leave empty to clear it.';
  return field.input.kind === 'text' ? clearHint : undefined;
}

const anyMoment: Reading = { now: new Date(0), webUrl: '', slash: '' };

/** What a required field defaults to: a repository defaults to the channel's own. */
export function standIn(field: Field): unknown {
  try {
    return field.read('', anyMoment);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Set only by buttons: in no help, form or usage. */
export function isHidden(field: Field): boolean {
  return field.label === '';
}
