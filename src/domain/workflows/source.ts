import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import type { Api, Forge } from '../../forge/index.js';
import { unlessAbsent } from '../../forge/possible.js';
import { shortRef } from '../../short-ref.js';
import { type Declared, readDeclared } from './declared.js';

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

const read = ({ at, sha }: WorkflowFile, filepath: string, api: Api): Promise<Found | undefined> =>
  unlessAbsent(api.repos.getFile({ ...at, filepath, ...(sha !== undefined && { query: { ref: sha } }) }));

/** As the server finds it: the first folder that exists counts, even if the file is only in a later one. */
export async function workflowAt(of: WorkflowFile, forge: Forge, api: Api): Promise<Found | undefined> {
  for (const folder of (await forge.capabilities.workflows()).folders) {
    const found = await read(of, `${folder}/${of.file}`, api);
    if (found || (await read(of, folder, api))) return found;
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

const folders = ['.forgejo/workflows', '.gitea/workflows', '.github/workflows'];

/** For a gate: unreadable if folders hold different files of that name, since settings of the server can change their order. */
export async function certainlyDeclaredAt(of: WorkflowFile, { api }: Context): Promise<Declared> {
  const found = await Promise.all(folders.map((folder) => read(of, `${folder}/${of.file}`, api)));
  const [first, ...others] = found.filter((each) => each !== undefined);
  return first && others.every(({ content }) => content === first.content) ? declaredIn(first) : 'unreadable';
}
