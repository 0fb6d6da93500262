import { UserError } from '../errors.js';
import { ApiError } from '../forge/index.js';
import { splitFullName } from '../full-name.js';
import type { Agent } from '../store/index.js';
import { closedToAgents, mayCall, refuseRepositories } from './agent.js';
import { aboutOf } from './approval/policy.js';
import type { AnyCommand } from './command.js';
import type { Context } from './context.js';
import type { Args, Fields } from './field.js';
import type { RepositoryRef } from './references.js';

/** Checked right before running, with the agent's current record and the channel's repository filled in. */
export async function admitAgent(
  agent: Agent,
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
): Promise<void> {
  if (closedToAgents(command) !== undefined || !mayCall(agent, command))
    throw new UserError(`This agent can’t use ${command.name}.`);
  if (agent.repos.length === 0) return;
  const about = aboutOf(command, args, context);
  refuseRepositories(agent, about);
  refuseRepositories(agent, await Promise.all(about.map((each) => presentName(each, context))));
}

/** A former name resolves to where the repository is now. */
async function presentName(named: RepositoryRef, { api }: Context): Promise<RepositoryRef> {
  try {
    return splitFullName((await api.repos.get(named)).full_name);
  } catch (error) {
    // It does not exist yet, or the server cannot look it up.
    if (error instanceof ApiError && (error.kind === 'notFound' || error.unsupported)) return named;
    throw error;
  }
}
