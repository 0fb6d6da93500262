import { z } from 'zod';
import type { Operation } from './operation.js';
import { type Template, template } from './path.js';

export type Table = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export type NameIn<T extends Table> = {
  [Noun in keyof T & string]: `${Noun}.${keyof T[Noun] & string}`;
}[keyof T & string];

/** A table entry with everything its calls need, made once. */
export interface Compiled {
  readonly name: string;
  readonly entry: Operation;
  readonly route: Template;
  /** Its routes at Forgejo, best first. */
  readonly atForgejo: readonly Template[];
  /** The schema of the whole list, if the entry is one. */
  readonly items: z.ZodArray | undefined;
  readonly paged: boolean;
}

const known = new WeakMap<Table, ReadonlyMap<string, Compiled>>();

export function compile(table: Table): ReadonlyMap<string, Compiled> {
  const compiled = known.get(table) ?? compileTable(table);
  known.set(table, compiled);
  return compiled;
}

function compileTable(table: Table): ReadonlyMap<string, Compiled> {
  const compiled = new Map<string, Compiled>();
  for (const [noun, methods] of Object.entries(table)) {
    for (const [method, entry] of Object.entries(methods)) {
      const name = `${noun}.${method}`;
      const items = entry.list && z.array(entry.list.item);
      compiled.set(name, {
        name,
        entry,
        route: template(entry.route),
        atForgejo: (entry.forgejo?.routes ?? [entry.route]).map(template),
        items,
        paged: entry.query !== undefined && 'page' in entry.query.shape,
      });
    }
  }
  return compiled;
}
