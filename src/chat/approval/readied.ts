import { z } from 'zod';
import { UserError } from '../../errors.js';
import type { OperationName } from '../../forge/index.js';
import type { Account, Agent, Approval } from '../../store/index.js';
import { agentTrouble } from '../agent.js';
import type { AnyCommand } from '../command.js';
import type { Context } from '../context.js';
import type { Args, Fields } from '../fields.js';
import type { ApprovalDeps } from '../runtime.js';
import { openSession, type SessionOptions } from '../session.js';
import { hiddenFrom } from './hidden-from.js';
import { Shown, shapeOf } from './shown.js';

export interface Readied {
  readonly command: AnyCommand;
  readonly args: Args<Fields>;
  readonly context: Context;
  /** The requester's agent, if it asked. */
  readonly agent: Agent | undefined;
  readonly calls: { name: OperationName; status: number | undefined }[];
  readonly notes: readonly string[];
}

/** The command and arguments exactly as requested, in the same place, with the requester's account. */
export async function readAsk(
  deps: ApprovalDeps,
  approval: Approval,
  beforeWrite: SessionOptions['beforeWrite'] = refuseWrite,
): Promise<Readied> {
  const { services } = deps;
  const command = deps.catalog.get(approval.command);
  if (!command || shapeOf(command) !== approval.shape) {
    throw new UserError('This command has changed since the request. Ask again.');
  }
  const account = await services.store.accounts.get(approval.requester);
  if (account?.state !== 'active') throw new UserError('The requester is no longer linked to the forge.');
  if (!isWhoAsked(approval, account)) {
    throw new UserError('The requester has linked another forge account since. Ask again with it.');
  }
  const agent = approval.agent && (await services.store.agents.get(approval.agent.id));
  const trouble = approval.agent && agentTrouble(agent, account, services);
  if (trouble !== undefined) throw new UserError(trouble);
  const calls: Readied['calls'] = [];
  const notes: string[] = [];
  const context = await openSession(services, {
    person: { team: approval.requester.team, user: approval.requester.user },
    channel: approval.channel ?? undefined,
    account,
    agent,
    command,
    job: approval.id,
    approval: { id: approval.id, approvers: approversOf(approval), commit: commitIn(approval) },
    // its answer goes on the card; what cannot be checked is not shown
    mayShow: async (repository) =>
      (await hiddenFrom(deps, [repository], Shown.parse(approval.shown).channel).catch(() => 'unknown')) === undefined,
    beforeWrite,
    afterCall: (name, { status }) => {
      calls.push({ name, status });
    },
    progress: async () => {},
    offerUndo() {},
    remember: (note) => {
      notes.push(note);
    },
  });
  const args = await argsOf(deps, approval);
  if (args === undefined) throw new UserError('This request can no longer be read. Run the command again.');
  return { command, args, context, agent, calls, notes };
}

export const approversOf = ({ decisions }: Approval) =>
  decisions.filter(({ verdict }) => verdict === 'approve').map(({ by }) => by);

const Bound = z.object({ commit: z.string() });

const commitIn = ({ bound }: Approval): string | undefined => Bound.safeParse(bound).data?.commit;

/** Compared by the forge's user id; without one it cannot be verified. */
const isWhoAsked = ({ requester }: Approval, { forgeUserId }: Account): boolean =>
  forgeUserId !== null && forgeUserId === requester.forgeUserId;

/** As requested; undefined once their key is gone. */
export async function argsOf({ services }: ApprovalDeps, { id }: Approval): Promise<Args<Fields> | undefined> {
  const args = await services.store.approvals.args(id);
  return typeof args === 'object' && args !== null ? { ...args } : undefined;
}

/** For the audit: without the command, nobody knows which arguments are secret. */
export const auditedArgs = async (deps: ApprovalDeps, approval: Approval): Promise<Args<Fields>> =>
  deps.catalog.get(approval.command) ? ((await argsOf(deps, approval)) ?? {}) : {};

async function refuseWrite(): Promise<void> {
  throw new Error('looking before approving must not write');
}
