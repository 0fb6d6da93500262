import type { Config } from '../config.js';
import type { OpenHouse } from '../house.js';
import { createDepartures } from '../jobs/departures.js';
import type { Log } from '../log.js';
import type { Place } from '../store/index.js';

const settleEveryMs = 2_000;
const lookEveryMs = 60_000;

/** Settles what people who left leave behind, and asks Slack now and then who did. */
export function watchDepartures(
  { house, identity }: OpenHouse,
  config: Config,
  log: Log,
  wake: (place: Place) => Promise<void>,
) {
  const departures = createDepartures({
    store: house.store,
    forge: house.forge,
    slack: house.slack,
    team: identity.teamId,
    slash: config.command,
    log,
    now: () => house.now().getTime(),
    wake,
  });
  const stopping = new AbortController();
  const settling = repeat(settleEveryMs, () => departures.settle());
  const looking = repeat(lookEveryMs, () => departures.look(Math.floor(Date.now() / lookEveryMs), stopping.signal));

  /** One at a time; what failed is tried again the next time. */
  function repeat(everyMs: number, step: () => Promise<void>) {
    let running: Promise<void> | undefined;
    const timer = setInterval(() => {
      running ??= step()
        .catch((error: unknown) => log.warn({ reason: String(error) }, 'departures could not be looked at'))
        .finally(() => {
          running = undefined;
        });
    }, everyMs).unref();
    return {
      async stop(): Promise<void> {
        clearInterval(timer);
        await running;
      },
    };
  }

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([settling.stop(), looking.stop()]);
    },
  };
}
