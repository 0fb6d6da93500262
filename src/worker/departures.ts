import type { Config } from '../config.js';
import { createDepartures } from '../jobs/departures.js';
import { repeat } from '../jobs/repeat.js';
import type { Log } from '../log.js';
import type { OpenServices } from '../services.js';

const processEveryMs = 2_000;
const lookEveryMs = 60_000;

/** Handles the subscriptions and data of people who left, and asks Slack now and then who did. */
export function watchDepartures({ services, identity }: OpenServices, config: Config, log: Log) {
  const departures = createDepartures({
    store: services.store,
    slack: services.slack,
    team: identity.teamId,
    slash: config.command,
    log,
    now: () => services.now().getTime(),
  });
  const stopping = new AbortController();
  const failure = 'departures could not be checked';
  const processing = repeat(processEveryMs, log, failure, () => departures.processAll());
  const watching = repeat(lookEveryMs, log, failure, () =>
    departures.look(Math.floor(Date.now() / lookEveryMs), stopping.signal),
  );

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([processing.stop(), watching.stop()]);
    },
  };
}
