import type { Field } from '../field.js';
import type { Optional } from './make.js';

/** Carried by buttons and forms: in no help, and no form shows it. */
export function hidden<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, label: '', typed: 'flag', required: false };
}
