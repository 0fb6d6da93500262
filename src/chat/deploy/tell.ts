import { shortRef } from '../../short-ref.js';
import { type Deployment, isOver } from '../../store/index.js';
import { section } from '../../view/blocks.js';
import { deploymentBlocks, deploymentWords } from '../../view/cards/deployment.js';
import { message, say } from '../../view/message.js';
import { bold, type Mrkdwn, md, mentionOf } from '../../view/text.js';
import { holdersOf } from '../approval/approvers.js';
import { publish } from '../approval/publish.js';
import type { ApprovalDeps } from '../runtime.js';
import { deploymentButtons, versionOf } from './followed.js';

const mostNotified = 50;

/** Updates card, thread, requester and audit, each under its own id, so that nothing is sent twice. */
export async function tell(deps: ApprovalDeps, deployment: Deployment): Promise<void> {
  const { id, by, breakGlass, channel, run } = deployment;
  if (breakGlass !== null) await raiseAlarm(deps, deployment);
  const key = await showCard(deps, deployment);
  const words = say(deploymentWords(deployment));
  if (key !== undefined && run !== null)
    await deps.post({ key: `${key}-thread`, channel, message: words, version: versionOf(deployment), under: key });
  if (!isOver(deployment)) return;
  await deps.tell(by, words, `deploy-${id}-${deployment.attempt}-${deployment.state}`);
  if (await deps.services.store.jobs.mark(`deploy-${id}-${deployment.attempt}`, 'reported'))
    await record(deps, deployment);
}

const leadOf = ({ by, breakGlass }: Deployment): Mrkdwn => {
  const who = mentionOf(by);
  if (breakGlass === null) return md`${who} started a deployment`;
  return md`🚨 ${bold('Break glass:')} ${who} started a deployment without approval. Reason: ${breakGlass}`;
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
  const approve = services.deployments[environment]?.approve ?? 'maintainer';
  const words = say(md`${leadOf(deployment)}\n${deploymentWords({ ...deployment, state: 'running' })}`);
  const holders = (await holdersOf(services, by.team, approve)) ?? [];
  for (const user of holders.filter((each) => each !== by.user).slice(0, mostNotified))
    await deps.tell({ team: by.team, user }, words, `deploy-${id}-glass-${user}`);
  if (await services.store.jobs.mark(`deploy-${id}-glass`, 'reported'))
    await record(deps, deployment, 'without approval');
}

const outcomes = { succeeded: 'done', unknown: 'unknown', failed: 'failed', canceled: 'failed' } as const;

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
    outcome: outcome ?? (state === 'starting' || state === 'running' ? 'unknown' : outcomes[state]),
    detail: `${why}${outcome === undefined ? `${state} on ${environment}` : `deployed to ${environment}`}${other}`,
    durationMs: endedAt === null ? 0 : endedAt - startedAt,
    approval: { id, approvers },
  });
}
