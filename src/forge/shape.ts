import { z } from 'zod';

/** Which fields of an answer are wanted: read off its schema once. */
export type Shape = Whole | ObjectShape | ListShape | Either;

/** Every value below it is wanted. */
interface Whole {
  readonly kind: 'whole';
}
interface ListShape {
  readonly kind: 'list';
  readonly item: Shape;
}
/** A list as it stands, or an object that holds it. */
interface Either {
  readonly kind: 'either';
  readonly bare: Shape;
  readonly wrapped: Shape;
}
export interface ObjectShape {
  readonly kind: 'object';
  /** By slotOf, so that most names are passed over without being read. */
  readonly wanted: ReadonlyArray<readonly Field[] | undefined>;
}
export interface Field {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly shape: Shape;
}

export const whole: Whole = { kind: 'whole' };
const slots = 1024;

export function slotOf(length: number, firstLetter: number): number {
  return ((length & 31) << 5) | (firstLetter & 31);
}

function listShape(item: Shape): Shape {
  return item.kind === 'whole' ? whole : { kind: 'list', item };
}

export function objectShape(fields: Readonly<Record<string, Shape>>): Shape {
  const wanted: (Field[] | undefined)[] = Array.from({ length: slots }, () => undefined);
  for (const [name, shape] of Object.entries(fields)) {
    const bytes = Buffer.from(name);
    const slot = slotOf(bytes.length, bytes[0] ?? 0);
    wanted[slot] = [...(wanted[slot] ?? []), { name, bytes, shape }];
  }
  return { kind: 'object', wanted };
}

const known = new WeakMap<z.ZodType, Shape>();

/** What is not known to ask for less asks for everything. */
export function shapeOf(schema: unknown): Shape {
  if (!(schema instanceof z.ZodType)) return whole;
  const shape = known.get(schema) ?? made(schema);
  known.set(schema, shape);
  return shape;
}

function made(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject) {
    if (schema.def.catchall !== undefined) return whole;
    return objectShape(Object.fromEntries(Object.entries(schema.shape).map(([name, inner]) => [name, shapeOf(inner)])));
  }
  if (schema instanceof z.ZodArray) return listShape(shapeOf(schema.element));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return shapeOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) {
    // a transform before the schema only replaces null; one after it sees what the schema kept
    return shapeOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  }
  return whole;
}
