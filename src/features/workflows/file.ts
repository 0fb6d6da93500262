import { parse } from 'yaml';
import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import type { Api, Forge } from '../../forge/index.js';
import { unlessAbsent } from '../../forge/possible.js';
import { workflowFolders } from '../../forge/product.js';
import { shortRef } from '../../short-ref.js';

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

/** The name at its top; people know a workflow by it. */
export async function workflowName(of: WorkflowFile, { api, forge }: Context): Promise<string | undefined> {
  const found = await workflowAt(of, forge, api);
  const tree =
    found?.encoding === 'base64' ? readTree(Buffer.from(found.content, 'base64').toString('utf8')) : undefined;
  return textOf(tree?.get('name'))?.slice(0, 200);
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
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, 4_000) : undefined;

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

/** The file is untrusted: its size and depth are bounded. */
export function readTree(text: string): Tree | undefined {
  if (text.length > mostBytes || isDeep(text)) return undefined;
  try {
    // maps stay maps: a key named __proto__ is just a key; forges merge what `<<` names, and take 1.10 as it is written
    const tree: unknown = parse(text, {
      schema: 'failsafe',
      customTags: ['null'],
      merge: true,
      mapAsMap: true,
      maxAliasCount: mostAliases,
      logLevel: 'error',
    });
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
      required: textOf(at(about, 'required'))?.toLowerCase() === 'true',
      default: textOf(at(about, 'default')),
      options: listed,
    },
  ];
}

/** @internal The inputs of a workflow file. The file is untrusted: every size in it is bounded. */
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

/** In full; a plain name is tried as a branch, then as a tag; nothing means the default branch. */
export async function wholeRef(at: RepositoryRef, written: string | undefined, context: Context): Promise<string> {
  if (written === undefined) return `refs/heads/${(await context.api.repos.get(at)).default_branch}`;
  if (written.startsWith('refs/')) return written;
  for (const ref of [`refs/heads/${written}`, `refs/tags/${written}`]) if (await commitAt(at, ref, context)) return ref;
  throw noSuchRef(at, written);
}

const noSuchRef = (at: RepositoryRef, name: string) =>
  new UserError(`${fullName(at)} has no branch or tag ${asCode(name)}.`, { field: 'ref' });

/** The ref in full and its commit. */
export interface Head {
  readonly ref: string;
  readonly sha: string;
}

/** The commit the ref points to now. */
export async function headOf(at: RepositoryRef, ref: string, context: Context): Promise<string> {
  const sha = await commitAt(at, ref, context);
  if (sha === undefined) throw noSuchRef(at, shortRef(ref));
  return sha;
}

/** The ref in full: by its name alone, git would prefer a tag to a branch and also accept a commit. */
export async function commitAt(at: RepositoryRef, ref: string, { api }: Context): Promise<string | undefined> {
  const commits = await unlessAbsent(api.repos.listCommits({ ...at, query: { sha: ref, limit: 1 } }));
  return commits?.items[0]?.sha;
}

export interface WorkflowFile {
  readonly at: RepositoryRef;
  readonly file: string;
  /** A commit id: by a name, some servers prefer a tag to the branch they run. */
  readonly sha?: string;
}

type Found = Awaited<ReturnType<Api['repos']['getFile']>>;

const readFile = ({ at, sha }: WorkflowFile, filepath: string, api: Api): Promise<Found | undefined> =>
  unlessAbsent(api.repos.getFile({ ...at, filepath, ...(sha !== undefined && { query: { ref: sha } }) }));

/** As the server finds it: the first folder that exists counts, even if the file is only in a later one. */
export async function workflowAt(of: WorkflowFile, forge: Forge, api: Api): Promise<Found | undefined> {
  for (const folder of (await forge.capabilities.workflows()).folders) {
    const found = await readFile(of, `${folder}/${of.file}`, api);
    if (found || (await readFile(of, folder, api))) return found;
  }
  return undefined;
}

const declaredIn = ({ encoding, content }: Found): Declared =>
  encoding === 'base64' ? readDeclared(Buffer.from(content, 'base64').toString('utf8')) : 'unreadable';

/** From the file at this commit. */
export async function declaredAt(
  at: RepositoryRef,
  file: string,
  { ref, sha }: Head,
  { api, forge }: Context,
): Promise<Declared> {
  const found = await workflowAt({ at, file, sha }, forge, api);
  if (found) return declaredIn(found);
  throw new UserError(`${fullName(at)} has no workflow ${asCode(file)} on ${asCode(shortRef(ref))}.`, {
    field: 'workflow',
  });
}

/** For a gate: unreadable if folders hold different files of that name, since settings of the server can change their order. */
export async function certainlyDeclaredAt(of: WorkflowFile, { api }: Context): Promise<Declared> {
  const found = await Promise.all(workflowFolders.map((folder) => readFile(of, `${folder}/${of.file}`, api)));
  const [first, ...others] = found.filter((each) => each !== undefined);
  return first && others.every(({ content }) => content === first.content) ? declaredIn(first) : 'unreadable';
}
