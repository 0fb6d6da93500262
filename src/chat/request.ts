import type { Input, OperationName, Operations } from '../forge/index.js';

type Entry<Name extends OperationName> = Name extends `${infer Noun}.${infer Method}`
  ? Noun extends keyof Operations
    ? Method extends keyof Operations[Noun]
      ? Operations[Noun][Method]
      : never
    : never
  : never;

/** One call to the forge as data: shown by --dry-run, frozen by approvals, kept by undo. */
export interface Request {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Typed maker: the input is what that operation takes. */
export function request<Name extends OperationName>(operation: Name, input: Input<Entry<Name>>): Request {
  return { operation, input: { ...input } };
}
