import type { Config } from '../config.js';
import type { OpenHouse } from '../house.js';
import { createDepartures } from '../jobs/departures.js';
import type { Log } from '../log.js';
import type { Place } from '../store/index.js';
import { repeat } from './repeat.js';

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
    slack: house.slack,
    team: identity.teamId,
    slash: config.command,
    log,
    now: () => house.now().getTime(),
    wake,
  });
  const stopping = new AbortController();
  const failure = 'departures could not be looked at';
  const settling = repeat(settleEveryMs, log, failure, () => departures.settle());
  const looking = repeat(lookEveryMs, log, failure, () =>
    departures.look(Math.floor(Date.now() / lookEveryMs), stopping.signal),
  );

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([settling.stop(), looking.stop()]);
    },
  };
}
