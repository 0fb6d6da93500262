import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { webAddress } from '../../chat/references.js';
import { ApiError, isLost } from '../../forge/index.js';
import { type Deployment, ranCommit } from '../../store/index.js';
import { dispatch, findStarted } from '../workflows/dispatch.js';
import { configuredAs } from './environment.js';
import type { Asked } from './inputs.js';
import { busy, type Target, targetOf } from './target.js';

function recordOf(target: Target, asked: Asked, context: Context): Deployment {
  const { name, at, what, sha, last, deployment } = target;
  const { person, login, approval, job = '', channel = '', now } = context;
  return {
    id: job,
    environment: name,
    repository: at,
    workflow: what.workflow,
    ref: what.ref,
    sha,
    from: last ? ranCommit(last) : null,
    by: { ...person, login },
    approvers: (approval?.approvers ?? []).map(({ team, user, login: known }) => ({ team, user, login: known })),
    breakGlass: asked.breakGlass ? (asked.reason ?? '') : null,
    channel: deployment.channel ?? channel,
    approval: approval?.id ?? null,
    run: null,
    attempt: 1,
    url: '',
    otherCommit: null,
    rollback: null,
    state: 'starting',
    startedAt: now.getTime(),
    endedAt: null,
  };
}

/** Recorded before anything is sent, so that a restart cannot start a second one. */
export async function startDeployment(asked: Asked, context: Context): Promise<Deployment> {
  const target = await targetOf(asked, context);
  const { deployments } = context.store;
  const record = recordOf(target, asked, context);
  const other = await deployments.begin(record);
  if (other) throw busy(other);
  try {
    const { run } = await dispatch(target.what, context);
    return await running(record, run, context);
  } catch (error) {
    // certainly not started, so the environment is free again
    if (error instanceof ApiError && !isLost(error)) {
      await deployments.put({ ...record, state: 'failed', endedAt: context.now.getTime() });
      await deployments.release(record.environment, record.id);
    }
    throw error;
  }
}

async function running(record: Deployment, run: number | undefined, { store, forge }: Context): Promise<Deployment> {
  const known =
    run === undefined ? {} : { run, url: webAddress(forge.web, { kind: 'run', of: { ...record.repository, run } }) };
  const started: Deployment = { ...record, ...known, state: 'running' };
  await store.deployments.put(started);
  return started;
}

export function deploymentPolicy({ environment, breakGlass }: Asked, context: Context) {
  const { deployment } = configuredAs(environment, context);
  const { approve, channel, expires, requesterCounts, authorsCount } = deployment;
  const count = breakGlass ? 0 : (deployment.count ?? 1);
  return {
    said: { approve: approve ?? 'maintainer', count, channel, expires, requesterCounts, authorsCount },
    source: `deployments.${environment}`,
    asks: breakGlass && deployment.breakGlass ? { ...deployment.breakGlass, teams: [] } : deployment.ask,
  };
}

export async function findStartedDeployment(asked: Asked, context: Context, { note }: Sent) {
  const { environment } = asked;
  const record = await context.store.deployments.get(environment, context.job ?? '');
  if (!record) return undefined;
  const what = { at: record.repository, workflow: record.workflow, ref: record.ref, inputs: {} };
  const found = await findStarted(what, context, note);
  return found === undefined || found === 'blind' ? found : running(record, found.run, context);
}
