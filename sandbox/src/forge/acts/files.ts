import type { Commit, Repo } from '../state/repo.js';

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

const folders = ['.forgejo/workflows', '.gitea/workflows', '.github/workflows'];

export interface WorkflowFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/** Those in the first folder that has any, as the forge looks for them. */
export function workflowFiles(repo: Repo, commit: Commit): WorkflowFile[] {
  const all = [...repo.texts.keys()].flatMap((path) => {
    const text = textAt(repo, commit, path);
    const [, folder, file] = /^(.+)\/([^/]+\.ya?ml)$/.exec(path) ?? [];
    return text === undefined || folder === undefined || file === undefined ? [] : [{ folder, file, path, text }];
  });
  const folder = folders.find((each) => all.some((found) => found.folder === each));
  return all.filter((found) => found.folder === folder);
}
