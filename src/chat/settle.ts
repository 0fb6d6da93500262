import { ApiError } from '../forge/index.js';
import type { Message } from '../view/message.js';
import type { CommandJob } from './act-job.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import type { Context } from './context.js';
import type { Args, Fields } from './field.js';
import { type House, openSession } from './session.js';

/** What was cut off after sending is not sent again: where the command can look whether it happened, it does. */
export async function settled(command: AnyCommand, args: Args<Fields>, context: Context): Promise<Message | undefined> {
  try {
    const result = await command.settle?.(args, context);
    return result === undefined ? undefined : await command.reply(result, args, context);
  } catch (error) {
    // A forge that cannot be asked leaves the outcome unknown.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

export async function settleJob(house: House, command: AnyCommand, job: CommandJob): Promise<Message | undefined> {
  const account = await house.store.accounts.get(job.person);
  if (!command.settle || account?.state !== 'active') return undefined;
  const context = await openSession(house, {
    person: job.person,
    channel: job.channel,
    account,
    beforeWrite: async () => {
      throw new Error('looking whether it happened must not write');
    },
    afterCall() {},
    progress: async () => {},
    offerUndo() {},
  });
  return settled(command, await resolveArgs(command, openArgs(command, job, house.store), context), context);
}
