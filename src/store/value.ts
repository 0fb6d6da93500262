import { z } from 'zod';

export interface Codec<T> {
  encode(value: T): string;
  decode(text: string): T;
}

/** Turns a value of version n into one of version n + 1. */
type Upgrade = (old: Record<string, unknown>) => Record<string, unknown>;

const Stored = z.looseObject({ v: z.int().positive() });

/** JSON with a version inside; older values are upgraded when read. The nth upgrade reads version n. */
export function versioned<const T extends object>(schema: z.ZodType<T>, upgrades: readonly Upgrade[] = []): Codec<T> {
  const current = upgrades.length + 1;
  return {
    encode: (value) => JSON.stringify({ v: current, ...value }),
    decode(text) {
      const { v, ...stored } = Stored.parse(JSON.parse(text));
      if (v > current)
        throw new Error(`A stored value has version ${v}; this Bellows reads up to ${current}. Upgrade it.`);
      const value = upgrades.slice(v - 1).reduce<Record<string, unknown>>((old, upgrade) => upgrade(old), stored);
      return schema.parse(value);
    },
  };
}

export const texts = z.array(z.string());

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** JSON.parse only returns JSON; validating it again would cost more than parsing it. */
export const json = z.custom<Json>((value) => value !== undefined);

/** A copy as stored: undefined values are left out. */
export const plainJson = <const T extends object>(value: T): T & { [name: string]: Json } =>
  JSON.parse(JSON.stringify(value));
