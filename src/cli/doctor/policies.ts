import type { Config } from '../../config.js';

/** Every place in bellows.yaml that can name approvers and a channel for them. */
export function policiesIn({ approvals, deployments }: Config['policy']) {
  const { risky, write, commands, rules } = approvals;
  const all = [risky, write, ...Object.values(commands), ...rules, ...Object.values(deployments)];
  return all.filter((each) => each !== undefined);
}

/** Who is named there to approve or deploy; roles are left out. */
export function namedIn(policy: Config['policy']) {
  const asked = Object.values(policy.deployments).map(({ ask }) => ask);
  const all = [...policiesIn(policy).map(({ approve }) => approve), ...asked];
  return all.filter((each) => typeof each === 'object');
}
