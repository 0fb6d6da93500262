import { readDiff } from './diff.js';
import type { CallOptions } from './engine.js';
import { ApiError } from './errors.js';
import type { Api } from './index.js';

/** What changed them: a pull request, with its number of files if known, or the newest commits up to one. */
export type Change =
  | { readonly pull: number; readonly size?: number | undefined }
  | { readonly sha: string; readonly not?: string | undefined; readonly total: number };

export interface ChangedFiles {
  readonly names: readonly string[];
  /** Why some may be missing. */
  readonly missing?: string;
}

interface At {
  readonly owner: string;
  readonly repo: string;
}

const mostFiles = 3_000;
/** No server lists more at once. */
const mostOnPage = 50;

type Reads = Pick<Api, 'pulls' | 'repos'>;

async function filesOf(api: Reads, at: At, change: Change, options: CallOptions) {
  if ('pull' in change && (change.size ?? 0) > mostOnPage) {
    const { text, whole } = await api.pulls.diff({ ...at, index: change.pull, diffType: 'diff' }, options);
    const files = whole ? readDiff(text) : [];
    return { names: files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path])), whole };
  }
  if ('pull' in change) {
    const input = { ...at, index: change.pull, query: { limit: mostOnPage } };
    const { items, hasMore } = await api.pulls.listFiles(input, options);
    return { names: items.map(({ filename }) => filename), whole: !hasMore };
  }
  const { sha, not, total } = change;
  const limit = Math.min(Math.max(total, 1), mostOnPage);
  const query = { sha, ...(not && { not }), limit, stat: false, verification: false, files: true };
  const { items } = await api.repos.listCommits({ ...at, query }, options);
  return { names: items.flatMap(({ files }) => files.map(({ filename }) => filename)), whole: total <= mostOnPage };
}

/** In one request; a forge that does not answer leaves them unknown. */
export async function changedFiles(
  api: Reads,
  at: At,
  change: Change,
  options: CallOptions = {},
): Promise<ChangedFiles> {
  try {
    const { names, whole } = await filesOf(api, at, change, options);
    const all = [...new Set(names)];
    if (!whole || all.length > mostFiles)
      return { names: all.slice(0, mostFiles), missing: 'too many files changed to check' };
    return all.length > 0 ? { names: all } : { names: all, missing: 'the forge lists no changed files' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { names: [], missing: 'the changed files could not be read' };
  }
}
