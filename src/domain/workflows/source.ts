import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import { unlessAbsent } from '../../forge/possible.js';
import { shortRef } from '../../short-ref.js';
import { type Declared, readDeclared } from './declared.js';

/** Where the forges look for workflows. */
export const workflowFolders = ['.gitea/workflows', '.github/workflows', '.forgejo/workflows'] as const;

/** In full; a plain name is tried as a branch, then as a tag; nothing means the default branch. */
export async function wholeRef(at: RepositoryRef, written: string | undefined, context: Context): Promise<string> {
  if (written === undefined) return `refs/heads/${(await context.api.repos.get(at)).default_branch}`;
  if (written.startsWith('refs/')) return written;
  for (const ref of [`refs/heads/${written}`, `refs/tags/${written}`]) if (await commitAt(at, ref, context)) return ref;
  throw noSuchRef(at, written);
}

export const noSuchRef = (at: RepositoryRef, name: string) =>
  new UserError(`${fullName(at)} has no branch or tag ${asCode(name)}.`, { field: 'ref' });

/** The ref in full: by its name alone, git would prefer a tag to a branch and also accept a commit. */
export async function commitAt(at: RepositoryRef, ref: string, { api }: Context): Promise<string | undefined> {
  const commits = await unlessAbsent(api.repos.listCommits({ ...at, query: { sha: ref, limit: 1 } }));
  return commits?.items[0]?.sha;
}

/** From the file at this ref. */
export async function declaredAt(at: RepositoryRef, file: string, ref: string, { api }: Context): Promise<Declared> {
  for (const folder of workflowFolders) {
    const asking = api.repos.getFile({ ...at, filepath: `${folder}/${file}`, query: { ref: shortRef(ref) } });
    const found = await unlessAbsent(asking);
    if (found?.encoding === 'base64') return readDeclared(Buffer.from(found.content, 'base64').toString('utf8'));
    if (found) return 'unreadable';
  }
  throw new UserError(`${fullName(at)} has no workflow ${asCode(file)} on ${asCode(shortRef(ref))}.`, {
    field: 'workflow',
  });
}
