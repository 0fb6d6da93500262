import { createRemindJobs } from '../jobs/remind.js';
import type { Log } from '../log.js';
import type { OpenServices } from '../services.js';
import type { Connection } from '../store/index.js';
import type { AsPerson } from './as-person.js';

/** Reminders with their ports filled. */
export function joinReminders({ services }: OpenServices, connection: Connection, log: Log, as: AsPerson) {
  const { store, service, people, teams } = services;
  return createRemindJobs({
    connection,
    store,
    service,
    as,
    people,
    teams,
    log,
    now: () => services.now().getTime(),
  });
}
