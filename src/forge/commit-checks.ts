import type { Api, CallOptions } from './index.js';
import { gathered } from './pages.js';
import type { CommitStatus } from './schemas/commit.js';

const most = 500;

export interface CommitChecks {
  /** Computed from all of them: a server's own summary covers one page only and is pending if nothing was reported. */
  readonly state: 'failure' | 'pending' | 'warning' | 'success' | 'skipped' | 'none';
  readonly all: readonly CommitStatus[];
  readonly failed: readonly CommitStatus[];
}

const severity = ['pending', 'warning', 'success', 'skipped'] as const;
const bad: ReadonlySet<string> = new Set(['failure', 'error']);

/** Everything reported about a commit: the latest result of each check. */
export async function commitChecks(
  api: Pick<Api, 'repos'>,
  at: { readonly owner: string; readonly repo: string; readonly ref: string },
  options: CallOptions = {},
): Promise<CommitChecks> {
  const { owner, repo, ref } = at;
  const all = await gathered(api.repos.commitStatus.each({ owner, repo, ref }, { ...options, max: most }));
  const failed = all.filter(({ status }) => bad.has(status));
  const worst = severity.find((state) => all.some(({ status }) => status === state));
  return { state: failed.length > 0 ? 'failure' : (worst ?? 'none'), all, failed };
}
