import type { Field } from '../field.js';
import type { Optional } from './make.js';

/** Carried by buttons and forms; shown neither in help nor in a form. */
export function hidden<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, label: '', typed: 'flag', required: false };
}
