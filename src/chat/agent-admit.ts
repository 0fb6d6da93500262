import { UserError } from '../errors.js';
import type { Agent } from '../store/index.js';
import { closedToAgents, mayCall, refuseRepositories } from './agent.js';
import { aboutOf } from './approval/policy.js';
import type { AnyCommand } from './command.js';
import type { Context } from './context.js';
import type { Args, Fields } from './field.js';
import { judgedAs } from './judged-as.js';
import { presentName } from './present-name.js';

/** Checked right before running, with the agent's current record and the channel's repository filled in. */
export async function admitAgent(
  agent: Agent,
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
): Promise<void> {
  if (closedToAgents(command) !== undefined || !mayCall(agent, command)) throw cannotUse(command.name);
  const name = await judgedAs(command, args, context);
  if (!mayCall(agent, { name })) throw cannotUse(name);
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
