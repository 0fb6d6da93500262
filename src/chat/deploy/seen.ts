import { ApiError } from '../../forge/index.js';
import { type Deployment, isOver } from '../../store/index.js';
import type { Services } from '../session.js';

/** After this, a rerun of a failed deployment is no longer picked up. */
const rerunMs = 24 * 3_600_000;

/** A failed deployment whose run was rerun; undefined if it was not. */
export async function rerunOf(services: Services, deployment: Deployment): Promise<Deployment | undefined> {
  const { state, run: id, repository, endedAt, attempt } = deployment;
  const now = services.now().getTime();
  if (id === null || (state !== 'failed' && state !== 'canceled')) return undefined;
  if (now - (endedAt ?? 0) > rerunMs) return undefined;
  const run = await found(services, { ...repository, run: id });
  if (typeof run === 'string' || (run.status === 'completed' && run.conclusion !== 'success')) return undefined;
  const began = run.started_at?.getTime() ?? 0;
  // some servers keep the first start
  const startedAt = began > (endedAt ?? 0) ? began : now;
  return { ...deployment, state: 'running', startedAt, endedAt: null, rollback: null, attempt: attempt + 1 };
}

/** How long the forge may take to show a started run. */
const patienceMs = 10 * 60_000;
/** A run without news for this long counts as lost. */
const longestMs = 24 * 3_600_000;

const ends: Readonly<Record<string, Deployment['state']>> = { success: 'succeeded', cancelled: 'canceled' };

/** The deployment as the forge shows it now. */
export async function seenNow(services: Services, deployment: Deployment): Promise<Deployment> {
  if (isOver(deployment)) return deployment;
  const now = services.now().getTime();
  const passed = now - deployment.startedAt;
  const lost = (): Deployment => ({ ...deployment, state: 'unknown', endedAt: now });
  const { run: id, repository, sha } = deployment;
  if (id === null) return passed > patienceMs ? lost() : deployment;
  const run = await found(services, { ...repository, run: id });
  if (run === 'unsupported' || (run === 'gone' && passed > patienceMs) || passed > longestMs) return lost();
  if (run === 'gone') return deployment;
  const otherCommit = run.head_sha !== '' && run.head_sha !== sha ? run.head_sha : null;
  const number = run.run_number || undefined;
  const seen: Deployment = {
    ...deployment,
    state: 'running',
    number,
    url: run.html_url || deployment.url,
    otherCommit,
  };
  if (run.status !== 'completed') return seen;
  const state = ends[run.conclusion ?? ''] ?? 'failed';
  const rollback = state === 'succeeded' ? null : await rollbackOf(services, deployment);
  return { ...seen, state, endedAt: run.completed_at?.getTime() ?? now, rollback };
}

type Ref = { readonly owner: string; readonly repo: string; readonly run: number };

async function found({ service }: Services, ref: Ref) {
  try {
    return await service.runs.get(ref);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    return error.unsupported ? 'unsupported' : 'gone';
  }
}

/** The previous version, if a ref still points to that exact commit: only a ref can be dispatched. */
async function rollbackOf({ service, store }: Services, { environment, id, repository }: Deployment) {
  const before = await store.deployments.last(environment, id);
  if (!before) return null;
  try {
    const { items } = await service.repos.listCommits({ ...repository, query: { sha: before.ref, limit: 1 } });
    return items[0]?.sha === before.sha ? before.ref : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
