import { ApiError } from '../../forge/index.js';
import { type Deployment, isOver, ranCommit } from '../../store/index.js';
import { credentialOf } from '../credential.js';
import type { Services } from '../session.js';

/** After this, a rerun of a failed deployment is no longer picked up. */
const rerunMs = 24 * 3_600_000;

/** A failed deployment whose run was rerun; undefined if it was not. */
export async function rerunOf(services: Services, deployment: Deployment): Promise<Deployment | undefined> {
  const { state, run: id, repository, endedAt, attempt, otherCommit } = deployment;
  const now = services.now().getTime();
  // what was not approved is no longer this deployment
  if (id === null || otherCommit !== null || (state !== 'failed' && state !== 'canceled')) return undefined;
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
  if (run.status !== 'completed') {
    // in an emergency nobody approved a commit
    if (otherCommit === null || deployment.breakGlass !== null) return seen;
    return { ...seen, stop: await stopped(services, deployment, id) };
  }
  const state = ends[run.conclusion ?? ''] ?? 'failed';
  const rollback = state === 'succeeded' ? null : await rollbackOf(services, deployment);
  return { ...seen, state, endedAt: run.completed_at?.getTime() ?? now, rollback };
}

/** A run that was canceled and still runs after this is force-canceled. */
const confirmMs = 20_000;

/** As the requester, who started it; what failed is tried again with every look. */
async function stopped(services: Services, { by, repository, stop }: Deployment, run: number): Promise<Stop> {
  const at = services.now().getTime();
  const isWaiting = stop?.how === 'canceled';
  const isDone = stop?.how === 'forced' || stop?.how === 'unable';
  if (stop && (isDone || (isWaiting && at - stop.at < confirmMs))) return stop;
  const credential = await credentialOf(services, by);
  if (!credential) return { how: 'failed', at };
  const { runs } = services.forge.as(credential);
  const ways = [...(isWaiting ? [] : [['canceled', runs.cancel] as const]), ['forced', runs.forceCancel] as const];
  let isUnable = true;
  for (const [how, send] of ways) {
    try {
      await send({ ...repository, run });
      return { how, at };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.unsupported) isUnable = false;
    }
  }
  return isUnable && stop ? stop : { how: isUnable ? 'unable' : 'failed', at };
}

type Stop = NonNullable<Deployment['stop']>;
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
    return items[0]?.sha === ranCommit(before) ? before.ref : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
