import { z } from 'zod';

/** 64-bit at the forge; one that would be rounded is refused, with its path named. */
export const Id = z.int();

export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

export const Flag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? false);

export const Count = z
  .int()
  .nullish()
  .transform((count) => count ?? 0);

/** RFC 3339, with whatever offset the server's zone has. */
export const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** The forge writes "never" as null, '', the Unix epoch or the year 1, depending on the field. */
export const TimeOrUnset = z
  .union([z.iso.datetime({ offset: true }), z.literal('')])
  .nullish()
  .transform((text) => (text ? unlessUnset(new Date(text)) : undefined));

function unlessUnset(time: Date): Date | undefined {
  return time.getTime() === 0 || time.getUTCFullYear() <= 1 ? undefined : time;
}

/** Null and absent are one thing to us: undefined. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The forge sends null for many empty lists. */
export function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

export const State = z.enum(['open', 'closed']);
export type State = z.infer<typeof State>;
