import { createSeldom } from '../memory.js';
import type { AuditEntry } from './audit.js';
import type { Alarm, Forged } from './ground.js';

interface AlarmOptions {
  append(entry: Omit<AuditEntry, 'at'>): Promise<unknown>;
  report(forged: Forged): void;
  readonly now: () => number;
}

/** What a sweep keeps finding is reported once an hour. */
const quietMs = 3_600_000;

/** Refused records are audited and reported; true only for the first report of a record. */
export function createAlarm({ append, report, now }: AlarmOptions): Alarm {
  const isNew = createSeldom({ forMs: quietMs, now });
  return (forged) => {
    const { kind, id, reason, person } = forged;
    if (!isNew(`${kind} ${id.slice(0, 200)}`)) return false;
    report(forged);
    append({
      who: person ?? { team: '', user: '' },
      command: `(${kind})`,
      args: {},
      target: id.slice(0, 200),
      outcome: 'forged',
      note: reason,
    }).catch(() => {});
    return true;
  };
}
