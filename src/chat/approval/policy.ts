import type { ApprovalPolicy, PolicyFile } from '../../config.js';
import type { AnyCommand } from '../command.js';
import type { Person, Role } from '../context.js';
import type { Args, Fields } from '../field.js';
import { atLeast, type Members, type Roles } from '../roles.js';

/** What stands between asking and running; undefined where nothing does. */
export interface Policy {
  readonly ask: Role;
  readonly approve: Role | Members;
  readonly count: number;
  readonly channel: string | undefined;
  readonly seconds: number;
  readonly requesterCounts: boolean;
  readonly unobserved: 'refuse' | 'allow';
}

const hour = 3_600;

/** As risky as what is asked for makes it. */
export const weighed = (command: AnyCommand, args: Args<Fields>): AnyCommand =>
  command.riskOf ? { ...command, risk: command.riskOf(args) } : command;

/** The command's own rule, then its tier's, then the default: risky waits for one other person with the role. */
export function policyFor(command: AnyCommand, file: PolicyFile['approvals']): Policy | undefined {
  const own: ApprovalPolicy = file.commands[command.name] ?? {};
  const tier: ApprovalPolicy =
    (command.risk === 'risky' ? file.risky : command.risk === 'write' ? file.write : undefined) ?? {};
  const count = own.count ?? tier.count ?? (command.risk === 'risky' || named(own) || named(tier) ? 1 : 0);
  if (count === 0) return undefined;
  return {
    ask: own.ask ?? tier.ask ?? command.role,
    approve: own.approve ?? tier.approve ?? command.role,
    count,
    channel: own.channel ?? tier.channel,
    seconds: own.expires ?? tier.expires ?? hour,
    requesterCounts: own.requesterCounts ?? tier.requesterCounts ?? false,
    unobserved: own.unobserved ?? tier.unobserved ?? 'refuse',
  };
}

const named = (policy: ApprovalPolicy) => policy.approve !== undefined || policy.channel !== undefined;

/** `2 other maintainers` */
export function policyWords({ approve, count, requesterCounts }: Policy): string {
  const kind = typeof approve === 'string' ? (approve === 'everyone' ? 'person' : approve) : 'named approver';
  const other = requesterCounts ? '' : 'other ';
  return count === 1 ? `one ${other}${kind}` : `${count} ${other}${kind === 'person' ? 'people' : `${kind}s`}`;
}

/** Read now, not from memory: the click decides. */
export async function mayApprove(person: Person, approve: Role | Members, roles: Roles): Promise<boolean> {
  if (typeof approve === 'string') return atLeast(await roles.fresh(person), approve);
  return roles.isAmong(person, approve);
}
