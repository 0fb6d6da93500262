import type { Field } from '../chat/field.js';
import type { Optional } from '../chat/fields/make.js';

/** Carried by buttons and forms: in no help, and no form shows it. */
export function hidden<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, label: '', typed: 'flag', required: false };
}
