import type { RepositoryRef } from '../../chat/references.js';
import type { Api } from '../../forge/index.js';
import type { WorkflowRun } from '../../forge/schemas.js';

/**
 * Asked to stop, but its runner has not confirmed. The forge reports such a run as in progress, yet no filter selects it:
 * a run that is in progress but missing from that filter is waiting for its runner.
 */
export async function isCancelling({ owner, repo }: RepositoryRef, run: WorkflowRun, api: Api): Promise<boolean> {
  if (run.status !== 'in_progress') return false;
  const query = { status: ['in_progress' as const], head_sha: run.head_sha || undefined, limit: 50 };
  const { items, hasMore } = await api.runs.list({ owner, repo, query });
  return !hasMore && !items.some(({ id }) => id === run.id);
}
