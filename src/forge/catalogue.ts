import { compile, type NameIn } from './compile.js';
import type { Operation } from './operation.js';
import { type Operations, operations } from './operations/index.js';
import { type LooseInput, requestLine as lineOf, type RequestLine } from './prepare.js';

/** `noun.method`, as in `issues.edit`. */
export type OperationName = NameIn<Operations>;

const compiled = compile(operations);

// the map was made from this very table
export const operationNames = [...compiled.keys()] as readonly OperationName[];

export function isOperationName(text: string): text is OperationName {
  return compiled.has(text);
}

export function describe(name: OperationName): Operation {
  return find(name).entry;
}

/** The request as it would be sent, checked as if it were, secrets masked. */
export function requestLine(name: OperationName, input: LooseInput): RequestLine {
  return lineOf(find(name), input);
}

function find(name: OperationName) {
  const found = compiled.get(name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}
