import type { Button } from '@slack/types';
import { shortRef } from '../../short-ref.js';
import type { Approval, Deployment } from '../../store/index.js';
import { runButton } from '../actions.js';
import type { Services } from '../session.js';

/** How long after its end a failed deployment may be rerun, and the rerun is followed. */
export const rerunMs = 24 * 3_600_000;

export const hasFailed = ({ state }: Pick<Deployment, 'state'>): boolean => state === 'failed' || state === 'canceled';

/** Whether a rerun of its run would continue it: not of what nobody approved. */
export const canContinue = (deployment: Deployment, now: number): deployment is Deployment & { readonly run: number } =>
  hasFailed(deployment) &&
  deployment.run !== null &&
  deployment.otherCommit === null &&
  now - (deployment.endedAt ?? 0) <= rerunMs;

/** The deployment started by an approval. */
export async function followedBy(
  { store, policy }: Pick<Services, 'store' | 'policy'>,
  { id, command }: Approval,
): Promise<Deployment | undefined> {
  if (command !== 'deploy') return undefined;
  const found = await Promise.all(Object.keys(policy.deployments).map((name) => store.deployments.get(name, id)));
  return found.find((each) => each !== undefined);
}

/** Distinguishes two states of one deployment. */
export const versionOf = ({ state, run, number, attempt, otherCommit, stop, endedAt }: Deployment): string =>
  [state, number ?? run ?? 'none', attempt, otherCommit ?? 'same', stop?.how ?? 'on', endedAt ?? 'open'].join('-');

/** What helps after a failure: rerun it, or deploy the previous version with the same approval. */
export function deploymentButtons(deployment: Deployment): Button[] {
  const { run, repository, environment, rollback, otherCommit } = deployment;
  if (!hasFailed(deployment)) return [];
  const again =
    // what was not approved is not repeated
    run === null || otherCommit !== null
      ? []
      : [
          runButton({
            text: 'Rerun failed jobs',
            command: 'run rerun',
            args: { run: { ...repository, run }, failed: true },
          }),
        ];
  if (rollback === null) return again;
  const args = { environment, ref: rollback };
  return [...again, runButton({ text: `Roll back to ${shortRef(rollback)}`.slice(0, 75), command: 'deploy', args })];
}
