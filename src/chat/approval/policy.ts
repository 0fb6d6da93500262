import type { ApprovalPolicy, ApprovalRule } from '../../config.js';
import { UserError } from '../../errors.js';
import { type Api, ApiError, describe } from '../../forge/index.js';
import { possible } from '../../forge/possible.js';
import { teamMembers } from '../../forge/review-requests.js';
import type { Log } from '../../log.js';
import { compilePattern } from '../../pattern.js';
import type { Account } from '../../store/index.js';
import { atLeast, type Roles, rank } from '../admit.js';
import type { AnyCommand } from '../command.js';
import type { Approvers, Context, People, Person, Role } from '../context.js';
import type { Args, Fields } from '../fields.js';
import { presentName } from '../present-name.js';
import { fullName, pageIn, type RepositoryRef, repositoriesIn } from '../references.js';

/** The command with the same effect, if it has one. */
export function ruledAs({ approval }: AnyCommand, args: Args<Fields>): string | undefined {
  const as = approval?.ruledAs;
  return typeof as === 'function' ? as(args) : as;
}

/** The name that rules and agents' limits apply to: `issue close` on a pull request does what `pr close` does. */
export async function findRuledName(command: AnyCommand, args: Args<Fields>, { api }: Context): Promise<string> {
  const page = pageIn(args);
  const { forPulls } = command.approval ?? {};
  if (forPulls === undefined || page?.kind !== 'issue') return command.name;
  const item = await possible(api.issues.get(page.of));
  return item?.pull_request ? forPulls : command.name;
}

/** What rules are matched against. Repositories and branches are read only if an otherwise matching rule names one. */
export interface Subject {
  readonly command: AnyCommand;
  repositories(): Promise<readonly RepositoryRef[]>;
  /** Undefined: the command is not about a branch. */
  branches(): Promise<readonly (string | undefined)[] | undefined>;
}

interface Chosen {
  readonly rule: ApprovalRule;
  /** Its index in the file, from 0. */
  readonly at: number;
  /** Other matching rules that are less specific. */
  readonly over: readonly number[];
}

/** A rule without a command covers everything that changes something on the forge. */
function fitsCommand({ command: wanted }: ApprovalRule, command: AnyCommand): boolean {
  if (wanted === undefined) return command.risk !== 'read' && changes(command);
  if (isExact(wanted)) return wanted === command.name;
  return command.risk !== 'read' && compilePattern(wanted)(command.name);
}

const changes = ({ operations }: AnyCommand) => operations.some((name) => describe(name).effect !== 'read');

const isExact = (text: string) => !/[*?]/.test(text);

/** Unset first, then patterns by how much of the name they fix, then the exact name. */
function exactness(selector: string | undefined): number {
  if (selector === undefined) return -1;
  return isExact(selector) ? Number.POSITIVE_INFINITY : selector.replaceAll(/[*?]/g, '').length;
}

/** Compared by repository, then branch, then command; among equals, the first in the file wins. */
const order = ['repository', 'branch', 'command'] as const;

function compare(a: Fitting, b: Fitting): number {
  for (const name of order) {
    const [left, right] = [exactness(a.rule[name]), exactness(b.rule[name])];
    if (left !== right) return left > right ? -1 : 1;
  }
  return a.at - b.at;
}

interface Fitting {
  readonly rule: ApprovalRule;
  readonly at: number;
}

/** @internal Tested on its own. */
export async function chosenRule(subject: Subject, rules: readonly ApprovalRule[]): Promise<Chosen | undefined> {
  const about = rules.map((rule, at) => ({ rule, at })).filter(({ rule }) => fitsCommand(rule, subject.command));
  const named = about.some(({ rule }) => rule.repository !== undefined) ? await subject.repositories() : [];
  const names = named.map(fullName);
  const near = about.filter(
    ({ rule: { repository } }) => repository === undefined || names.some(compilePattern(repository)),
  );
  const branches = near.some(({ rule }) => rule.branch !== undefined) ? await branchesOf(subject) : [];
  // Git is case-sensitive; rules are not, so that a look-alike branch cannot bypass one.
  const fitting = near.filter(({ rule: { branch } }) => branch === undefined || branches.some(compilePattern(branch)));
  const [first, ...others] = fitting.sort(compare);
  return first && { ...first, over: others.map(({ at }) => at) };
}

/** An unreadable branch must not bypass the rule made for it. */
async function branchesOf({ command, branches }: Subject): Promise<string[]> {
  const all = (await branches()) ?? [];
  const known = all.filter((each) => each !== undefined);
  if (known.length === all.length) return known;
  throw new UserError(
    `This forge cannot tell which branch ${command.name} is about, and an approval rule depends on it.`,
  );
}

/** @internal `approvals.rules.1 (pr merge, acme/*), more specific than rules.0` */
export function ruleWords({ rule, at, over }: Chosen): string {
  const selectors = [rule.command, rule.repository, rule.branch].filter((each) => each !== undefined);
  const others = over.map((each) => `rules.${each}`).join(', ');
  return `approvals.rules.${at} (${selectors.join(', ')})${others === '' ? '' : `, more specific than ${others}`}`;
}

/** What is required before running; undefined if nothing is. */
export interface Policy {
  readonly approve: Role | Approvers;
  readonly count: number;
  readonly channel: string | undefined;
  readonly seconds: number;
  readonly requesterCounts: boolean;
  readonly authorsCount: boolean;
  readonly unobserved: 'refuse' | 'allow';
}

/** `source`: where in bellows.yaml it comes from, and why that entry. */
interface Decided {
  readonly policy: Policy | undefined;
  readonly source: string | undefined;
  /** Who may request it. */
  readonly asks: Role | Approvers;
}

const hour = 3_600;

/** The repositories a command is about. */
export const aboutOf = (
  command: AnyCommand,
  args: Args<Fields>,
  context: Pick<Context, 'policy'>,
): readonly RepositoryRef[] => command.repositories?.(args, context) ?? repositoriesIn(args);

/** The command with the risk of these arguments. */
const weighRisk = (command: AnyCommand, args: Args<Fields>): AnyCommand =>
  command.riskOf ? { ...command, risk: command.riskOf(args) } : command;

/** What the command with the same effect needs, or on a pull request its counterpart there, unless it needs more itself. */
export async function policyFor(command: AnyCommand, args: Args<Fields>, context: Context): Promise<Decided> {
  const { rules, commands } = context.policy.approvals;
  const isRuled = rules.length > 0 || Object.keys(commands).length > 0;
  const name = isRuled ? (ruledAs(command, args) ?? (await findRuledName(command, args, context))) : command.name;
  const asOther = name === command.name ? undefined : await decidePolicy({ ...command, name }, args, context);
  const asItself = await decidePolicy(command, args, context);
  const decided = asOther?.policy && isAsStrict(asOther.policy, asItself.policy) ? asOther : asItself;
  return asOther ? { ...decided, asks: stricter(asItself.asks, asOther.asks) } : decided;
}

/** People named for it count as they are. */
const stricter = (one: Role | Approvers, other: Role | Approvers): Role | Approvers =>
  typeof one === 'string' && typeof other === 'string' && atLeast(other, one) ? other : one;

/** What the policy asks for; a command with a policy of its own, or that names people, asks for that itself. */
export const roleFor = ({ approval, role }: AnyCommand, asks: Role | Approvers): Role =>
  approval?.policy !== undefined || typeof asks !== 'string' ? role : asks;

export const mayAsk = (command: AnyCommand, asks: Role | Approvers, held: Role): boolean =>
  atLeast(held, roleFor(command, asks));

/** Those who may not request it may not run it either, even if nobody has to approve it. */
export function refuseAsker(command: AnyCommand, asks: Role | Approvers, held: Role): void {
  if (!mayAsk(command, asks, held)) throw new UserError(`Only ${asks}s can request ${command.name}. Ask one of them.`);
}

/** How many, who, and whether those who asked for it or wrote it may be among them. */
const strictness = ({ count, approve, requesterCounts, authorsCount }: Policy): readonly number[] => [
  count,
  // people who are named were chosen
  typeof approve === 'string' ? rank[approve] : Number.POSITIVE_INFINITY,
  Number(!requesterCounts),
  Number(!authorsCount),
];

function isAsStrict(one: Policy, other: Policy | undefined): boolean {
  if (!other) return true;
  const [left, right] = [strictness(one), strictness(other)];
  const at = left.findIndex((each, nth) => each !== right[nth]);
  return at < 0 || (left[at] ?? 0) > (right[at] ?? 0);
}

/** The most specific rule, then the command's own entry, then its tier's, then the default: risky needs one other person. */
async function decidePolicy(given: AnyCommand, args: Args<Fields>, context: Context): Promise<Decided> {
  const { approvals } = context.policy;
  const command = weighRisk(given, args);
  const own = given.approval?.policy?.(args, context);
  const byAgent = context.agent !== undefined;
  if (own)
    return {
      policy: mergePolicies(command, own.said, true, byAgent),
      source: own.source,
      asks: own.asks ?? given.role,
    };
  const chosen = await chosenRule(
    {
      command,
      repositories: () => Promise.all(aboutOf(given, args, context).map((each) => presentName(each, context))),
      branches: async () => given.approval?.branches?.(args, context),
    },
    approvals.rules,
  );
  const named: ApprovalPolicy | undefined = approvals.commands[command.name];
  const tierName = command.risk === 'read' ? undefined : command.risk;
  const tier = tierName && approvals[tierName];
  // whatever a rule leaves open comes from the next one
  const said = { ...tier, ...named, ...chosen?.rule };
  return {
    policy: mergePolicies(command, said, chosen !== undefined, byAgent),
    source: chosen ? ruleWords(chosen) : sourceOf(command, named, tier),
    asks: stricter(given.role, said.ask ?? given.role),
  };
}

/** Undefined: nothing is configured for it. */
function sourceOf(
  command: AnyCommand,
  named: ApprovalPolicy | undefined,
  tier: ApprovalPolicy | undefined,
): string | undefined {
  if (named) return `approvals.commands.${command.name}`;
  return tier ? `approvals.${command.risk}` : undefined;
}

/** Required by a rule, by people or a channel named for it, or by risk; for an agent, always by risk. */
function mergePolicies(
  command: AnyCommand,
  said: ApprovalPolicy,
  ruled: boolean,
  byAgent: boolean,
): Policy | undefined {
  const named = said.approve !== undefined || said.channel !== undefined;
  const asked = said.count ?? (command.risk === 'risky' || named || ruled ? 1 : 0);
  const count = byAgent && command.risk === 'risky' ? Math.max(1, asked) : asked;
  if (count === 0) return undefined;
  return {
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

/** What is known about people, groups and teams. */
interface Sources {
  readonly roles: Roles;
  readonly people: People;
  readonly service: Api;
  readonly log: Log;
}

/** Always read fresh: the click decides. */
export async function mayApprove(
  services: Sources,
  person: Person,
  account: Account | undefined,
  approve: Role | Approvers,
): Promise<boolean> {
  if (typeof approve === 'string') return atLeast(await services.roles.fresh(person), approve);
  if (await services.roles.isAmong(person, approve)) return true;
  // Only accounts confirmed by the forge count: a typed login proves no membership.
  if (!account?.verified || account.forgeUserId === null) return false;
  for (const team of approve.teams) {
    const members = await membersOf(services, team);
    if (members.some(({ id }) => id === account.forgeUserId)) return true;
  }
  return false;
}

/** Slack users who could decide; undefined means everyone. Of a team, only members known in Slack count. */
export async function holdersOf(
  services: Sources,
  team: string,
  approve: Role | Approvers,
): Promise<readonly string[] | undefined> {
  const holders = await services.roles.holders(approve);
  if (typeof approve === 'string' || approve.teams.length === 0) return holders;
  const members = (await Promise.all(approve.teams.map((name) => membersOf(services, name)))).flat();
  const users = await Promise.all(members.map(({ login }) => services.people.slackUserOf(team, login)));
  return [...new Set([...(holders ?? []), ...users.filter((user) => user !== undefined)])];
}

/** A team that does not exist or that our account cannot see counts as empty; if the forge is down, nothing is decided. */
async function membersOf({ service, log }: Sources, team: string) {
  try {
    const members = await teamMembers(service, team);
    if (!members) log.warn({ team }, 'a team named in approvals does not exist, or the service account cannot see it');
    return members ?? [];
  } catch (error) {
    if (!(error instanceof ApiError) || (error.kind !== 'notFound' && error.kind !== 'forbidden')) throw error;
    log.warn({ team, reason: error.message }, 'the members of a team named in approvals cannot be read');
    return [];
  }
}
