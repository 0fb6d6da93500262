import { z } from 'zod';
import { UserError } from '../../errors.js';
import { type Needed, plainField, type Words } from './make.js';

interface NumberOptions extends Words {
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
}

/** A whole number. */
export function number(options: NumberOptions): Needed<number> {
  const { label, min = 1, max = Number.MAX_SAFE_INTEGER } = options;
  const range = options.max === undefined ? `from ${min} on` : `from ${min} to ${max}`;
  return plainField(options, {
    label,
    placeholder: 'number',
    input: { kind: 'text', max: 20 },
    schema: z.int().min(min).max(max),
    read: (text) => {
      const digits = text.trim().replace(/^\+/, '');
      const value = Number(digits);
      if (!/^-?\d{1,16}$/.test(digits) || value < min || value > max) {
        throw new UserError(`${label} must be a whole number ${range}.`);
      }
      // Avoid minus zero.
      return value === 0 ? 0 : value;
    },
    show: String,
  });
}
