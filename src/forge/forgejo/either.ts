import { z } from 'zod';

/** One inner shape from two wire shapes: a record that gives itself away is rewritten before it is checked. */
export function either<T extends z.ZodType>(rewrite: (record: object) => object, schema: T) {
  return z
    .unknown()
    .transform((value) => (typeof value === 'object' && value !== null ? rewrite(value) : value))
    .pipe(schema);
}
