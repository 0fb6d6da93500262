import type { z } from 'zod';
import { UserError } from '../../errors.js';
import type { Context } from '../context.js';
import type { Field, InputShape, Reading } from '../field.js';

/** `required` is a literal type in every maker, so that a command's arguments are exact. */
export type Needed<Typed, Resolved = Typed> = Field<Typed, Resolved> & { readonly required: true };
export type Optional<Typed, Resolved = Typed> = Field<Typed, Resolved> & { readonly required: false };

/** What every maker lets a command say in its own words. */
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

/** A field whose value needs nobody's answer: what was typed is what the command receives. */
export function plainField<Typed>(words: Words, definition: Definition<Typed>): Needed<Typed> {
  return askingField(words, { ...definition, resolve: (value) => value });
}

/** A field whose meaning depends on the channel or on linked people. */
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

/** May be left out. */
export function optional<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, required: false };
}

/** `--name value`, may be left out. */
export function flag<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, required: false, typed: 'flag' };
}

/** `--name value`, must be given. */
export function named<Typed, Resolved>(field: Field<Typed, Resolved>): Needed<Typed, Resolved> {
  return { ...field, required: true, typed: 'flag' };
}

/** Takes all the words that are left, where the field alone would take one. */
export function trailing<F extends Field<never, unknown> | Field<unknown, unknown>>(field: F): F {
  return { ...field, typed: 'rest' };
}

const clearHint = 'Write none to clear it.';
const nothing = /^(none|nobody|never|nothing|-)$/i;

/** `none` takes the present value away: the command receives null. */
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

/** A form is emptied, where typing says none; into its menus and calendars nothing can be written. */
export function formHint(field: Field, filled: boolean): string | undefined {
  if (field.hint !== clearHint) return field.hint;
  if (filled) return 'Leave empty to clear it.';
  return field.input.kind === 'text' ? clearHint : undefined;
}

const anyMoment: Reading = { now: new Date(0), webUrl: '' };

/** What a required field means when nothing is written: a repository is then the channel's own. */
export function standIn(field: Field): unknown {
  try {
    return field.read('', anyMoment);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Reached by buttons alone: in no help, form or usage. */
export function isHidden(field: Field): boolean {
  return field.label === '';
}
