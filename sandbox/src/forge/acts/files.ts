import type { Commit, Repo } from '../state/repo.js';
import { isForgejo, type Site } from '../state/site.js';

/** In every commit, as if it had always been there. */
const always = '';

/** Texts by path, each under the commit that wrote it. Files without text only have a name. */
export function keepText(repo: Repo, path: string, text: string, commit?: Commit): void {
  const versions = repo.texts.get(path) ?? new Map<string, string>();
  repo.texts.set(path, versions.set(commit?.sha ?? always, text));
}

/** As of the commit: written by it or by its nearest ancestor. */
export function textAt(repo: Repo, commit: Commit, path: string): string | undefined {
  const versions = repo.texts.get(path);
  for (let at: Commit | undefined = commit; versions && at; at = repo.commits.get(at.parents[0] ?? '')) {
    const text = versions.get(at.sha);
    if (text !== undefined) return text;
  }
  return versions?.get(always);
}

const folders = ['.gitea/workflows', '.github/workflows'];

export interface WorkflowFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/** Whether there is a file in it or below it. */
export const hasFolder = (repo: Repo, commit: Commit, folder: string): boolean =>
  [...repo.texts.keys()].some((path) => path.startsWith(`${folder}/`) && textAt(repo, commit, path) !== undefined);

/** Those in the first folder that exists, whatever is in it. */
export function workflowFiles(site: Site, repo: Repo, commit: Commit): WorkflowFile[] {
  const all = [...repo.texts.keys()].flatMap((path) => {
    const text = textAt(repo, commit, path);
    const [, folder, file] = /^(.+)\/([^/]+\.ya?ml)$/.exec(path) ?? [];
    return text === undefined || folder === undefined || file === undefined ? [] : [{ folder, file, path, text }];
  });
  const known = isForgejo(site) ? ['.forgejo/workflows', ...folders] : folders;
  const folder = known.find((each) => hasFolder(repo, commit, each));
  return all.filter((found) => found.folder === folder);
}
