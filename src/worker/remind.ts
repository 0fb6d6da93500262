import type { OpenHouse } from '../house.js';
import { createRemindJobs } from '../jobs/remind.js';
import type { Log } from '../log.js';
import type { Connection, Place } from '../store/index.js';
import type { AsPerson } from './as-person.js';

/** Reminders with their ports filled; `wake` hurries the outbox they are put into. */
export function joinReminders(
  { house }: OpenHouse,
  connection: Connection,
  log: Log,
  as: AsPerson,
  wake: (place: Place) => Promise<void>,
) {
  const { store, service, people } = house;
  return createRemindJobs({
    connection,
    store,
    service,
    as,
    people,
    log,
    wake,
    now: () => house.now().getTime(),
  });
}
