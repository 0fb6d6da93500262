import { z } from 'zod';
import { isZone, localTime, momentOf, strikes, type Zone } from './wall-clock.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Further than any settings reach; holidays without end must not loop for ever. */
const mostDays = 1_000;

export const clock = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as "16:00", in quotes');
export const zone = z.string().refine(isZone, 'must be a time zone such as Europe/Berlin');
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const days = z.array(z.enum(weekdays, 'must be mon, tue, wed, thu, fri, sat or sun')).min(1);

/** When people work: limits for reviews and kept places count only these hours. */
export const WorkingHours = z
  .strictObject({
    days: days.default(['mon', 'tue', 'wed', 'thu', 'fri']),
    from: clock.default('09:00'),
    to: clock.default('17:00'),
    zone: zone.default('UTC'),
    holidays: z.array(z.iso.date('must be a date such as "2026-12-25", in quotes')).max(366).default([]),
  })
  .refine(({ from, to }) => from < to, { error: 'must be later than from', path: ['to'] });
export type WorkingHours = z.infer<typeof WorkingHours>;

/** Of a person, whose zone may be known by its offset alone. */
type Hours = Omit<WorkingHours, 'zone'> & { readonly zone: Zone };

export const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The working hours of each day, from the day that `at` is on. */
function* spansFrom({ days, from, to, zone, holidays }: Hours, at: number): Generator<Span> {
  const first = Math.floor(localTime(zone, at) / dayMs) * dayMs;
  for (let day = 0; day < mostDays; day += 1) {
    const midnight = first + day * dayMs;
    const date = new Date(midnight);
    const name = weekdays[(date.getUTCDay() + 6) % 7];
    if (name === undefined || !days.includes(name) || holidays.includes(date.toISOString().slice(0, 10))) continue;
    const momentAt = (text: string) => momentOf(zone, midnight + minutesOf(text) * minuteMs);
    yield { start: momentAt(from), end: momentAt(to) };
  }
}

/** How much of the time between two moments is working time, in milliseconds. */
export function workingTime(hours: Hours, since: number, until: number): number {
  let total = 0;
  for (const { start, end } of spansFrom(hours, since)) {
    if (start >= until) break;
    total += Math.max(0, Math.min(end, until) - Math.max(start, since));
  }
  return total;
}

/** The moment at which that much working time will have passed. */
export function afterWorkingTime(hours: WorkingHours, since: number, ms: number): number {
  let left = ms;
  for (const { start, end } of spansFrom(hours, since)) {
    const begin = Math.max(start, since);
    if (end - begin >= left) return begin + left;
    left -= Math.max(0, end - begin);
  }
  return since + mostDays * dayMs;
}

export const isWorkingTime = (hours: WorkingHours, at: number): boolean => {
  const [first] = spansFrom(hours, at);
  return first !== undefined && first.start <= at && at < first.end;
};

/** Whether someone away from now until then misses all that is left of today's working hours there. */
export function missesToday(hours: WorkingHours, zone: Zone, now: number, until: number): boolean {
  if (until <= now) return false;
  const tomorrow = strikes(zone, 0, now).next;
  const there = { ...hours, zone };
  return workingTime(there, now, tomorrow) > 0 && workingTime(there, until, tomorrow) === 0;
}

/** When today's working hours end, or the next ones. */
export const endOfWork = (hours: WorkingHours, now: number): number => {
  const [first] = spansFrom(hours, now);
  return first?.end ?? now;
};
