import { parse } from 'yaml';

const types = ['string', 'choice', 'boolean', 'number', 'environment'] as const;
type InputType = (typeof types)[number];

export interface DeclaredInput {
  readonly name: string;
  readonly type: InputType;
  readonly description: string;
  readonly required: boolean;
  readonly default: string | undefined;
  /** For choices. */
  readonly options: readonly string[];
}

/** All of its inputs. none: it cannot be started manually. unreadable: too large, too deep or not YAML. */
export type Declared = readonly DeclaredInput[] | 'none' | 'unreadable';

const mostBytes = 100_000;
const mostInputs = 500;
const mostOptions = 100;
const deepest = 50;
const mostAliases = 20;
const nameForm = /^[A-Za-z_][\w-]{0,99}$/;

type Tree = ReadonlyMap<unknown, unknown>;
const isTree = (value: unknown): value is Tree => value instanceof Map;
const at = (value: unknown, key: string): unknown => (isTree(value) ? value.get(key) : undefined);
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const textOf = (value: unknown): string | undefined => (isScalar(value) ? String(value).slice(0, 4_000) : undefined);

/** Nested brackets can overflow a parser's stack, and no workflow needs many. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth += 1;
    else if (letter === ']' || letter === '}') depth = Math.max(0, depth - 1);
    if (depth > deepest) return true;
  }
  return false;
}

function readTree(text: string): Tree | undefined {
  if (text.length > mostBytes || isDeep(text)) return undefined;
  try {
    // maps stay maps: a key named __proto__ is just a key; forges merge what `<<` names
    const options = { maxAliasCount: mostAliases, mapAsMap: true, merge: true, logLevel: 'error' } as const;
    const tree: unknown = parse(text, options);
    return isTree(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

/** Whether `on` names it, in any of its three forms. */
function startsByHand(on: unknown): boolean {
  if (isTree(on)) return on.has('workflow_dispatch');
  return Array.isArray(on) ? on.includes('workflow_dispatch') : on === 'workflow_dispatch';
}

function readInput(name: unknown, about: unknown): DeclaredInput[] {
  if (typeof name !== 'string' || !nameForm.test(name)) return [];
  const written = at(about, 'type');
  const options = at(about, 'options');
  const listed = (Array.isArray(options) ? options.slice(0, mostOptions) : []).flatMap((each) => textOf(each) ?? []);
  const type = types.find((each) => each === written) ?? 'string';
  return [
    {
      name,
      type: type === 'choice' && listed.length === 0 ? 'string' : type,
      description: textOf(at(about, 'description')) ?? '',
      required: at(about, 'required') === true,
      default: textOf(at(about, 'default')),
      options: listed,
    },
  ];
}

/** The inputs of a workflow file. The file is untrusted: every size in it is bounded. */
export function readDeclared(text: string): Declared {
  const tree = readTree(text);
  if (!tree) return 'unreadable';
  const on = tree.get('on');
  if (!startsByHand(on)) return 'none';
  const inputs = at(at(on, 'workflow_dispatch'), 'inputs');
  if (!isTree(inputs)) return [];
  // an input left out here could be one that the deploy gate looks for
  return inputs.size > mostInputs ? 'unreadable' : [...inputs].flatMap(([name, about]) => readInput(name, about));
}
