import type { Config } from '../../config.js';

/** Every place in bellows.yaml that can name approvers and a channel for them. */
export function policiesIn({ approvals, deployments }: Config['policy']) {
  const { risky, write, commands, rules } = approvals;
  const all = [risky, write, ...Object.values(commands), ...rules, ...Object.values(deployments)];
  return all.filter((each) => each !== undefined);
}
