export type Json = string | number | boolean | null | Json[] | Obj;

/** An object as sent; absent and undefined are the same. */
export interface Obj {
  [key: string]: Json | undefined;
}

export const isObj = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObj = (value: Json | undefined): Obj => (isObj(value) ? value : {});

export const asList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

export const asObjects = (value: Json | undefined): Obj[] => asList(value).filter(isObj);

export const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Undefined when the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    // JSON.parse is typed any; what it returns is Json by construction.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** An own entry of a table, never an inherited one. */
export const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

export const copy = <T>(value: T): T => structuredClone(value);
