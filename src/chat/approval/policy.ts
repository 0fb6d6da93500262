import type { ApprovalPolicy, PolicyFile } from '../../config.js';
import type { AnyCommand } from '../command.js';
import type { Approvers, Context, Role } from '../context.js';
import type { Args, Fields } from '../field.js';
import { judgedAs } from '../judged-as.js';
import { presentName } from '../present-name.js';
import { type RepositoryRef, repositoriesIn } from '../references.js';
import { atLeast } from '../roles.js';
import { chosenRule, ruleWords } from './rules.js';

/** What is required before running; undefined if nothing is. */
export interface Policy {
  readonly ask: Role;
  readonly approve: Role | Approvers;
  readonly count: number;
  readonly channel: string | undefined;
  readonly seconds: number;
  readonly requesterCounts: boolean;
  readonly authorsCount: boolean;
  readonly unobserved: 'refuse' | 'allow';
}

/** `source`: where in bellows.yaml it comes from, and why that entry. */
export interface Decided {
  readonly policy: Policy | undefined;
  readonly source: string;
  /** Who may request it. */
  readonly asks: Role | Approvers;
}

type File = PolicyFile['approvals'];

const hour = 3_600;

/** The repositories a command is about. */
export const aboutOf = (
  command: AnyCommand,
  args: Args<Fields>,
  context: Pick<Context, 'deployments'>,
): readonly RepositoryRef[] => command.repositories?.(args, context) ?? repositoriesIn(args);

/** The command with the risk of these arguments. */
const weighed = (command: AnyCommand, args: Args<Fields>): AnyCommand =>
  command.riskOf ? { ...command, risk: command.riskOf(args) } : command;

/** What the command with the same effect needs, or on a pull request its counterpart there, unless it needs more itself. */
export async function policyFor(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  file: File,
): Promise<Decided> {
  const isRuled = file.rules.length > 0 || Object.keys(file.commands).length > 0;
  const name = isRuled ? (command.amountsTo ?? (await judgedAs(command, args, context))) : command.name;
  const asOther = name === command.name ? undefined : await decided({ ...command, name }, args, context, file);
  const asItself = await decided(command, args, context, file);
  return asOther?.policy && asOther.policy.count >= (asItself.policy?.count ?? 0) ? asOther : asItself;
}

/** The most specific rule, then the command's own entry, then its tier's, then the default: risky needs one other person. */
async function decided(given: AnyCommand, args: Args<Fields>, context: Context, file: File): Promise<Decided> {
  const command = weighed(given, args);
  const own = given.policy?.(args, context);
  const byAgent = context.agent !== undefined;
  if (own)
    return {
      policy: merged(command, own.said, true, byAgent),
      source: own.source,
      asks: own.asks ?? given.role,
    };
  const chosen = await chosenRule(
    {
      command,
      repositories: () => Promise.all(aboutOf(given, args, context).map((each) => presentName(each, context))),
      branches: async () => given.branches?.(args, context),
    },
    file.rules,
  );
  const named: ApprovalPolicy | undefined = file.commands[command.name];
  const tierName = command.risk === 'read' ? undefined : command.risk;
  const tier = tierName && file[tierName];
  // whatever a rule leaves open comes from the next one
  const policy = merged(command, { ...tier, ...named, ...chosen?.rule }, chosen !== undefined, byAgent);
  return {
    policy,
    source: chosen ? ruleWords(chosen) : sourceOf(command, named, tier),
    asks: policy && atLeast(policy.ask, given.role) ? policy.ask : given.role,
  };
}

function sourceOf(command: AnyCommand, named: ApprovalPolicy | undefined, tier: ApprovalPolicy | undefined): string {
  if (named) return `approvals.commands.${command.name}`;
  return tier ? `approvals.${command.risk}` : `the default for ${command.risk} commands`;
}

/** Required by a rule, by people or a channel named for it, or by risk; for an agent, always by risk. */
function merged(command: AnyCommand, said: ApprovalPolicy, ruled: boolean, byAgent: boolean): Policy | undefined {
  const named = said.approve !== undefined || said.channel !== undefined;
  const asked = said.count ?? (command.risk === 'risky' || named || ruled ? 1 : 0);
  const count = byAgent && command.risk === 'risky' ? Math.max(1, asked) : asked;
  if (count === 0) return undefined;
  return {
    ask: said.ask ?? command.role,
    approve: said.approve ?? command.role,
    count,
    channel: said.channel,
    seconds: said.expires ?? hour,
    // nobody approves their own agent's request
    requesterCounts: !byAgent && (said.requesterCounts ?? false),
    authorsCount: said.authorsCount ?? true,
    unobserved: said.unobserved ?? 'refuse',
  };
}

/** `2 other maintainers` */
export function policyWords({
  approve,
  count,
  requesterCounts,
}: Pick<Policy, 'approve' | 'count' | 'requesterCounts'>): string {
  const other = requesterCounts ? '' : 'other ';
  const [one, many] = kindWords(approve);
  return count === 1 ? `one ${other}${one}` : `${count} ${other}${many}`;
}

/** `maintainers`, `members of acme/ops` */
export function askersWords(asks: Role | Approvers): string {
  if (typeof asks === 'object' && asks.users.length + asks.groups.length > 0) return 'the people named in bellows.yaml';
  return kindWords(asks)[1];
}

function kindWords(approve: Policy['approve']): readonly [one: string, many: string] {
  if (approve === 'everyone') return ['person', 'people'];
  if (typeof approve === 'string') return [approve, `${approve}s`];
  const { users, groups, teams } = approve;
  if (users.length + groups.length > 0) return ['named approver', 'named approvers'];
  const names = teams.join(' or ');
  return [`member of ${names}`, `members of ${names}`];
}
