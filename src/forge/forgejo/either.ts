import { z } from 'zod';

/** One internal shape from two wire shapes: a recognized record is rewritten before validation. */
export function either<T extends z.ZodType>(rewrite: (record: object) => object, schema: T) {
  return z
    .unknown()
    .transform((value) => (typeof value === 'object' && value !== null ? rewrite(value) : value))
    .pipe(schema);
}
