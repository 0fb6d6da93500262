import { compile, type NameIn } from './compile.js';
import type { Operation } from './operation.js';
import { type Operations, operations } from './operations/index.js';

/** `noun.method`, as in `issues.edit`. */
export type OperationName = NameIn<Operations>;

const compiled = compile(operations);

// the map was built from this very table
export const operationNames = [...compiled.keys()] as readonly OperationName[];

export function isOperationName(text: string): text is OperationName {
  return compiled.has(text);
}

export function describe(name: OperationName): Operation {
  return find(name).entry;
}

function find(name: OperationName) {
  const found = compiled.get(name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}
