import { createRemindJobs } from '../jobs/remind.js';
import type { Log } from '../log.js';
import type { OpenServices } from '../services.js';
import type { Connection, Place } from '../store/index.js';
import type { AsPerson } from './as-person.js';

/** Reminders with their ports filled; `wake` hurries the outbox they are put into. */
export function joinReminders(
  { services }: OpenServices,
  connection: Connection,
  log: Log,
  as: AsPerson,
  wake: (place: Place) => Promise<void>,
) {
  const { store, service, people } = services;
  return createRemindJobs({
    connection,
    store,
    service,
    as,
    people,
    log,
    wake,
    now: () => services.now().getTime(),
  });
}
