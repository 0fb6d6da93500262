import type { Reminder } from '../../store/index.js';

type Times = Pick<Reminder, 'days' | 'time' | 'zone'>;

/** A moment as a wall clock in that zone shows it. */
interface Wall {
  readonly date: string;
  readonly weekday: string;
  readonly minutes: number;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const made =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  formats.set(zone, made);
  return made;
}

function wallOf(zone: string, at: number): Wall {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  const minutes = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return { date, weekday: (parts.get('weekday') ?? '').toLowerCase(), minutes };
}

const workdays: ReadonlySet<string> = new Set(['mon', 'tue', 'wed', 'thu', 'fri']);

const isOn = (days: readonly string[], weekday: string): boolean =>
  days.includes('daily') || days.includes(weekday) || (days.includes('weekdays') && workdays.has(weekday));

function strikes({ days, time, zone }: Times, at: number): boolean {
  const here = wallOf(zone, at);
  if (!isOn(days, here.weekday)) return false;
  const [hour = '0', minute = '0'] = time.split(':');
  const wanted = Number(hour) * 60 + Number(minute);
  const before = wallOf(zone, at - minuteMs);
  // a time skipped by daylight saving counts as soon as it was skipped
  const since = before.date === here.date ? before.minutes : -1;
  if (wanted <= since || wanted > here.minutes) return false;
  // an hour that occurs twice counts once
  const earlier = wallOf(zone, at - hourMs);
  return earlier.date !== here.date || earlier.minutes !== here.minutes;
}

/** The minutes after `from`, up to `to`, at which a reminder is due. */
export function timesOf(reminder: Times, from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = (Math.floor(from / minuteMs) + 1) * minuteMs; at <= to; at += minuteMs)
    if (strikes(reminder, at)) found.push(at);
  return found;
}
