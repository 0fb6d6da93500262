import type { PolicyFile } from '../config.js';
import { asCode, UserError } from '../errors.js';
import type { Repository } from '../forge/schemas.js';
import { splitFullName } from '../full-name.js';
import { compilePattern } from '../pattern.js';
import type { Account, Agent } from '../store/index.js';
import { aboutOf, findRuledName, ruledAs } from './approval/policy.js';
import type { AnyCommand } from './command.js';
import type { Askable, Context } from './context.js';
import type { Args, Fields } from './fields.js';
import { presentName } from './present-name.js';
import { fullName, type RepositoryRef } from './references.js';

/** Why no agent is offered this command; undefined where agents may be. */
export function closedToAgents(command: Omit<Askable, 'name' | 'role' | 'operations'>): string | undefined {
  if (command.notForAgents !== undefined) return command.notForAgents;
  if (command.hidden) return 'It is reached by buttons alone.';
  if (command.confidential) return 'Its answer holds a secret.';
  const asksSecret = Object.values(command.fields).some(({ required, secret }) => required && secret);
  return command.form?.opens === 'only' || asksSecret ? 'Only a form asks for it.' : undefined;
}

interface Limits {
  readonly may: readonly string[];
  readonly repos: readonly string[];
  readonly meant?: Agent['meant'];
}

export const mayCall = ({ may }: Limits, { name }: Pick<Askable, 'name'>): boolean =>
  may.some((pattern) => compilePattern(pattern)(name));

export const mayTouch = ({ repos }: Limits, about: RepositoryRef): boolean =>
  repos.length === 0 || repos.some((pattern) => compilePattern(pattern)(fullName(about)));

/** A pattern with `*` or `?` in it names an owner at most. */
export const isWholeName = (pattern: string): boolean => !/[*?]/.test(pattern);

/** A limit is about the repository or owner it named when it was set, not about one that took over the name. */
export function refuseTakenOverLimit(agent: Limits, present: Repository | undefined): void {
  if (!present) return;
  const named = splitFullName(present.full_name);
  refuseRepositories(agent, [named]);
  const isMeant = (pattern: string) => {
    const id = agent.meant?.[pattern];
    return id === undefined || id === (isWholeName(pattern) ? present.id : present.owner?.id);
  };
  const fitting = agent.repos.filter((pattern) => compilePattern(pattern)(fullName(named)));
  if (agent.repos.length > 0 && !fitting.some(isMeant))
    throw new UserError(
      `${fullName(named)} is now another repository than this agent was limited to. Its person has to create the agent again.`,
    );
}

/** An agent limited to repositories may do nothing about others, nor anything without a repository. */
function refuseRepositories(agent: Limits, about: readonly RepositoryRef[]): void {
  if (agent.repos.length === 0) return;
  const limit = `This agent is limited to ${asCode(...agent.repos)}`;
  if (about.length === 0) throw new UserError(`${limit}. Name one of these repositories.`);
  const outside = about.find((each) => !mayTouch(agent, each));
  if (outside) throw new UserError(`${limit} and cannot use ${fullName(outside)}.`);
}

/** Shown to agents and to people who want one. */
export const agentsOff =
  'Agents are turned off. To change that, a Bellows admin removes agents: false from bellows.yaml.';

/** Why an agent cannot do anything now; undefined if it can. */
export function agentTrouble(
  agent: Agent | undefined,
  account: Account | undefined,
  { policy, now }: { readonly policy: PolicyFile; now(): Date },
): string | undefined {
  if (!policy.agents) return agentsOff;
  if (!agent) return 'This agent was revoked.';
  if (agent.expiresAt <= now().getTime()) return 'This agent has expired.';
  if (account?.state !== 'active') return 'The person this agent acts for is no longer linked to the forge.';
  return isSameAccount(agent, account)
    ? undefined
    : 'The person this agent acts for has linked another forge account since. They have to create the agent again.';
}

/** Compared by the forge's user id; without one, it must be the very same link. */
export function isSameAccount(agent: Pick<Account, 'login' | 'forgeUserId' | 'linkedAt'>, account: Account): boolean {
  if (agent.forgeUserId !== null) return account.forgeUserId === agent.forgeUserId;
  return account.forgeUserId === null && account.login === agent.login && account.linkedAt === agent.linkedAt;
}

/** Whatever a command does along the way, no request about another repository is sent. */
export function refuseRequest(agent: Limits, { owner, repo }: Readonly<Record<string, unknown>>): void {
  if (typeof owner === 'string' && typeof repo === 'string') refuseRepositories(agent, [{ owner, repo }]);
}

/** Checked right before running, with the agent's current record and the channel's repository filled in. */
export async function admitAgent(
  agent: Agent,
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
): Promise<void> {
  if (closedToAgents(command) !== undefined || !mayCall(agent, command)) throw cannotUse(command.name);
  const name = await findRuledName(command, args, context);
  if (!mayCall(agent, { name })) throw cannotUse(name);
  // what it may not do itself, it may not have done in turn
  const other = ruledAs(command, args);
  if (other !== undefined && !mayCall(agent, { name: other })) throw cannotUse(other);
  if (agent.repos.length === 0) return;
  const about = aboutOf(command, args, context);
  refuseRepositories(agent, about);
  refuseRepositories(agent, await Promise.all(about.map((each) => presentName(each, context))));
}

/** Why it may not do this now; undefined if it may. */
export async function outsideLimits(...asked: Parameters<typeof admitAgent>): Promise<string | undefined> {
  try {
    await admitAgent(...asked);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

const cannotUse = (name: string) => new UserError(`This agent can’t use ${name}.`);
