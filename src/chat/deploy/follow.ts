import { reasonOf } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { shortRef } from '../../short-ref.js';
import { type Deployment, isOver, ranCommit } from '../../store/index.js';
import { section } from '../../view/blocks.js';
import { deploymentBlocks, deploymentWords, whatAndWhere } from '../../view/cards/deployment.js';
import { message, say } from '../../view/message.js';
import { bold, type Mrkdwn, md, mentionOf } from '../../view/text.js';
import { holdersOf } from '../approval/policy.js';
import { publish } from '../approval/publish.js';
import { credentialOf } from '../credential.js';
import { notify } from '../notice.js';
import type { ApprovalDeps } from '../runtime.js';
import type { Services } from '../session.js';
import { canContinue, deploymentButtons, versionOf } from './followed.js';

/** A failed deployment whose run was rerun; undefined if it was not. */
async function rerunOf(services: Services, deployment: Deployment): Promise<Deployment | undefined> {
  const now = services.now().getTime();
  if (!canContinue(deployment, now)) return undefined;
  const { run: id, repository, endedAt, attempt } = deployment;
  const run = await findRun(services, { ...repository, run: id });
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
async function seenNow(services: Services, deployment: Deployment): Promise<Deployment> {
  if (isOver(deployment)) return deployment;
  const now = services.now().getTime();
  const passed = now - deployment.startedAt;
  const asLost = (): Deployment => ({ ...deployment, state: 'unknown', endedAt: now });
  const { run: id, repository, sha } = deployment;
  if (id === null) return passed > patienceMs ? asLost() : deployment;
  const run = await findRun(services, { ...repository, run: id });
  if (run === 'unsupported' || (run === 'gone' && passed > patienceMs) || passed > longestMs) return asLost();
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
    return { ...seen, stop: await stopRun(services, deployment, id) };
  }
  const state = ends[run.conclusion ?? ''] ?? 'failed';
  const rollback = state === 'succeeded' ? null : await rollbackOf(services, deployment);
  return { ...seen, state, endedAt: run.completed_at?.getTime() ?? now, rollback };
}

/** A run that was canceled and still runs after this is force-canceled. */
const confirmMs = 20_000;

/** As the requester, who started it; what failed is tried again with every look. */
async function stopRun(services: Services, { by, repository, stop }: Deployment, run: number): Promise<Stop> {
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

async function findRun({ service }: Services, ref: Ref) {
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

const mostNotified = 50;

/** Updates card, thread, requester and audit, each under its own id, so that nothing is sent twice. */
async function tell(deps: ApprovalDeps, deployment: Deployment): Promise<void> {
  const { id, by, breakGlass, channel, run } = deployment;
  if (breakGlass !== null) await raiseAlarm(deps, deployment);
  const key = await showCard(deps, deployment);
  const words = say(deploymentWords(deployment));
  // its start is news once, also if the run's number is known only later
  const version = versionOf(isOver(deployment) ? deployment : { ...deployment, state: 'running', number: 0 });
  if (key !== undefined && run !== null)
    await deps.post({ key: `${key}-thread`, channel, message: words, version, under: key });
  if (!isOver(deployment)) return;
  await notify(deps.services.store, by, `deploy-${id}-${deployment.attempt}-${deployment.state}`, words);
  if (await deps.services.store.jobs.mark(`deploy-${id}-${deployment.attempt}`, 'reported'))
    await record(deps, deployment);
}

const leadOf = (deployment: Deployment): Mrkdwn => {
  const { by, breakGlass } = deployment;
  const starts = md`${mentionOf(by)} started a deployment of ${whatAndWhere(deployment)}`;
  if (breakGlass === null) return starts;
  return md`🚨 ${bold('Break glass:')} ${starts} without approval. Reason: ${breakGlass}`;
};

/** The card's key; undefined if no channel may see it. */
async function showCard(deps: ApprovalDeps, deployment: Deployment): Promise<string | undefined> {
  const { services } = deps;
  const { id, approval: approvalId, channel, repository } = deployment;
  const approval = approvalId === null ? undefined : await services.store.approvals.get(approvalId);
  if (approval) {
    const telling = await publish(deps, approval);
    if (telling === 'unsure') throw new Error('cannot check now whether its channel may see it');
    return telling === 'open' ? `approval-${approval.id}` : undefined;
  }
  const place = channel !== '' && !channel.startsWith('D');
  if (!place || (await deps.exposed(repository, channel)) !== undefined) return undefined;
  const drawn = deploymentBlocks(deployment, deploymentButtons(deployment), { now: services.now() });
  const text = leadOf(deployment);
  const shown = message({ text, blocks: [section(text), ...drawn] });
  await deps.post({ key: `deploy-${id}`, channel, message: shown, version: versionOf(deployment) });
  return `deploy-${id}`;
}

/** Notifies everyone who could have approved it, and adds a row to the audit. */
async function raiseAlarm(deps: ApprovalDeps, deployment: Deployment): Promise<void> {
  const { services } = deps;
  const { id, by, environment } = deployment;
  const approve = services.policy.deployments[environment]?.approve ?? 'maintainer';
  const words = say(md`${leadOf(deployment)}\n${deploymentWords({ ...deployment, state: 'running' })}`);
  const holders = (await holdersOf(services, by.team, approve)) ?? [];
  for (const user of holders.filter((each) => each !== by.user).slice(0, mostNotified))
    await notify(services.store, { team: by.team, user }, `deploy-${id}-glass-${user}`, words);
  if (await services.store.jobs.mark(`deploy-${id}-glass`, 'reported'))
    await record(deps, deployment, 'without approval');
}

const outcomes = {
  starting: 'unknown',
  running: 'unknown',
  succeeded: 'done',
  unknown: 'unknown',
  failed: 'failed',
  canceled: 'failed',
} as const;

const stops = {
  canceled: 'canceled',
  forced: 'force-canceled',
  failed: 'could not be canceled',
  unable: 'could not be canceled',
} as const;

async function record(deps: ApprovalDeps, deployment: Deployment, outcome?: 'without approval'): Promise<void> {
  const { id, by, environment, ref, sha, approvers, breakGlass, state, repository, run, endedAt, startedAt } =
    deployment;
  const why = breakGlass === null ? '' : `break glass: ${breakGlass}; `;
  const { otherCommit, stop } = deployment;
  const other =
    otherCommit === null ? '' : `; not the approved commit but ${otherCommit}${stop ? `, ${stops[stop.how]}` : ''}`;
  await deps.record({
    person: { team: by.team, user: by.user },
    login: by.login ?? '',
    command: 'deploy',
    args: { environment, ref: shortRef(ref), commit: sha, repository, ...(run !== null && { run }) },
    operations: [],
    outcome: outcome ?? outcomes[state],
    detail: `${why}${outcome === undefined ? `${state} on ${environment}` : `deployed to ${environment}`}${other}`,
    durationMs: endedAt === null ? 0 : endedAt - startedAt,
    approval: { id, approvers },
  });
}

/** A rerun is rare: most turns don't look for one. */
const restTurns = 5;

/** Follows every deployment to its end; each step is safe to repeat. */
export function createFollower(deps: ApprovalDeps, everyMs: number) {
  const { services } = deps;
  const { store, log } = services;
  /** What this process has already reported; the outbox would drop repeats too. */
  const reported = new Map<string, string>();
  const looked = new Map<string, number>();

  async function follow(before: Deployment): Promise<void> {
    const now = await seenNow(services, before);
    if (versionOf(now) !== versionOf(before)) await store.deployments.put(now);
    if (reported.get(now.id) !== versionOf(now)) {
      await tell(deps, now);
      reported.set(now.id, versionOf(now));
    }
    if (!isOver(now)) return;
    // only now: nothing else starts until everyone has been notified
    await store.deployments.release(now.environment, now.id);
    reported.delete(now.id);
  }

  /** When nothing is being deployed, checks now and then whether the last, failed deployment was rerun. */
  async function rest(environment: string): Promise<void> {
    const now = services.now().getTime();
    if (now - (looked.get(environment) ?? 0) < restTurns * everyMs) return;
    looked.set(environment, now);
    const [last] = await store.deployments.list(environment);
    const again = last && (await rerunOf(services, last));
    if (!again || !(await store.deployments.begin(again)).begun) return;
    await store.deployments.put(again);
  }

  return async (): Promise<void> => {
    for (const name of Object.keys(services.policy.deployments)) {
      const current = await store.deployments.current(name);
      const followed = current ? follow(current) : rest(name);
      await followed.catch((error: unknown) =>
        log.warn({ environment: name, reason: reasonOf(error) }, 'a deployment could not be followed'),
      );
    }
  };
}
