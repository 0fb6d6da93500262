import type { CommandJob } from './act-job.js';
import { sealArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import type { Services } from './session.js';

type NewJob = Omit<CommandJob, 'v' | 'kind' | 'command' | 'dryRun' | 'channel' | 'acceptedAt'> & {
  readonly dryRun?: boolean;
  readonly channel?: string | undefined;
};

/** A command accepted now; every door makes it here, so secrets are always sealed. */
export function commandJob(
  { store, now }: Pick<Services, 'store' | 'now'>,
  command: AnyCommand,
  { args, channel, dryRun = false, ...asked }: NewJob,
): CommandJob {
  return {
    v: 1,
    kind: 'command',
    command: command.name,
    args: sealArgs(command, args, asked.person, store.seal),
    dryRun,
    ...(channel === undefined ? {} : { channel }),
    ...asked,
    acceptedAt: now().getTime(),
  };
}
