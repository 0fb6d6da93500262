import { within } from '../deadline.js';
import type { Api, CallResult, Operation, OperationName } from '../forge/index.js';
import type { Log } from '../log.js';
import type { ForgeAccount } from '../store/index.js';

export interface ForgeToken {
  /** Asks whose token it is, and keeps asking while it is refused. */
  start(service: Api): void;
  /** Every answer to the bot's own account shows whether its token is accepted. */
  heard(result: CallResult): void;
  /** Rejects while the forge refuses the token. */
  ready(): Promise<void>;
  stop(): void;
}

export interface ForgeTokenOptions {
  readonly log: Log;
  /** Whose token it is, if the forge says. */
  readonly remember: (account: ForgeAccount) => Promise<void>;
  readonly againMs?: number;
}

/** A forge that takes longer to answer refuses nothing. */
const patienceMs = 1_000;

/** Whether the forge accepts FORGE_TOKEN. */
export function watchForgeToken({ log, remember, againMs = 5_000 }: ForgeTokenOptions): ForgeToken {
  let refused = false;

  const heard = ({ kind }: CallResult): void => {
    if (kind === 'unauthorized' && !refused) {
      refused = true;
      log.error('the forge refuses FORGE_TOKEN: create a new token for the service account and set FORGE_TOKEN');
    } else if (kind === undefined && refused) {
      refused = false;
      log.info('the forge accepts FORGE_TOKEN again');
    }
  };
  const ask = async (service: Api): Promise<void> => {
    const { id, login, created } = await service.users.me();
    await remember({ id, login, ...(created && { created: created.toISOString() }) });
  };
  let first: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  return {
    start(service) {
      // an unreachable forge is not a refusal and is reported elsewhere
      first = ask(service).catch(() => {});
      timer = setInterval(() => void (refused && ask(service).catch(() => {})), againMs).unref();
    },
    heard,
    async ready() {
      await within(patienceMs, first, '').catch(() => {});
      if (refused) throw new Error('the forge refuses FORGE_TOKEN');
    },
    stop: () => clearInterval(timer),
  };
}

/** The bot's own account writes nothing, whatever its token allows. */
export async function onlyReads(name: OperationName, { effect }: Operation): Promise<void> {
  if (effect !== 'read') throw new Error(`the service account only reads, and ${name} writes`);
}
