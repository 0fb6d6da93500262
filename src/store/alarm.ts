import { LRUCache } from 'lru-cache';
import { growTo } from '../grow-to.js';
import type { AuditEntry } from './audit.js';
import type { Alarm, Forged } from './ground.js';

interface AlarmOptions {
  append(entry: Omit<AuditEntry, 'at'>): Promise<unknown>;
  report(forged: Forged): void;
  readonly now: () => number;
}

/** What a sweep keeps finding is reported once an hour. */
const quietMs = 3_600_000;
const known = 10_000;

/** Refused records are audited and reported; true only for the first report of a record. */
export function createAlarm({ append, report, now }: AlarmOptions): Alarm {
  const reported = new LRUCache<string, true>({ ...growTo(known), ttl: quietMs, perf: { now } });
  return (forged) => {
    const { kind, id, reason, person } = forged;
    const name = `${kind} ${id.slice(0, 200)}`;
    if (reported.has(name)) return false;
    reported.set(name, true);
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
