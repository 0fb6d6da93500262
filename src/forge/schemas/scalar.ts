// One zod node per field, not three: a feed page has about fifteen hundred of them.
import { z } from 'zod';

type Nullish<T> = T | null | undefined;
type Context = { issues: z.core.$ZodRawIssue[] };

/** 64-bit at the forge; one that would be rounded is refused, with its path in the error. */
export const Id = z.int();

export const Text = z.transform<Nullish<string>, string>((value, context) =>
  typeof value === 'string' ? value : nothing(value, '', 'string', context),
);

export const Flag = z.transform<Nullish<boolean>, boolean>((value, context) =>
  typeof value === 'boolean' ? value : nothing(value, false, 'boolean', context),
);

export const Count = z.transform<Nullish<number>, number>((value, context) =>
  Number.isSafeInteger(value) ? Number(value) : nothing(value, 0, 'int', context),
);

/** RFC 3339, with any offset. */
export const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** The forge writes "never" as null, '', the Unix epoch or the year 1, depending on the field. */
export const TimeOrUnset = z.transform<Nullish<string>, Date | undefined>((value, context) => {
  const read = value ? Time.safeParse(value) : undefined;
  if (read?.success) return unlessUnset(read.data);
  return nothing(value || undefined, undefined, 'date', context);
});

/** Null and absent both become undefined. */
export function maybe<T extends z.ZodType>(schema: T) {
  return z.pipe(
    z.transform((value: unknown): unknown => value ?? undefined),
    z.optional(schema),
  );
}

/** The forge sends null for many empty lists. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.pipe(
    z.transform((value: unknown): unknown => value ?? []),
    z.array(item),
  );
}

export const State = z.enum(['open', 'closed']);
export type State = z.infer<typeof State>;

function nothing<T>(value: unknown, instead: T, expected: z.core.$ZodInvalidTypeExpected, context: Context): T {
  if (value !== null && value !== undefined) context.issues.push({ code: 'invalid_type', expected, input: value });
  return instead;
}

function unlessUnset(time: Date): Date | undefined {
  return time.getTime() === 0 || time.getUTCFullYear() <= 1 ? undefined : time;
}
