import type { Reminder } from '../../store/index.js';
import { localTime, momentOf } from '../../wall-clock.js';

type Times = Pick<Reminder, 'days' | 'time' | 'zone'>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const workdays: ReadonlySet<string> = new Set(['mon', 'tue', 'wed', 'thu', 'fri']);

const isOn = (days: readonly string[], weekday: string): boolean =>
  days.includes('daily') || days.includes(weekday) || (days.includes('weekdays') && workdays.has(weekday));

/** The minutes after `from`, up to `to`, at which a reminder is due. */
export function timesOf({ days, time, zone }: Times, from: number, to: number): number[] {
  // most looks are a few seconds long, and asking what a clock shows takes its time
  if (Math.floor(from / minuteMs) === Math.floor(to / minuteMs)) return [];
  const [hour = '0', minute = '0'] = time.split(':');
  const sinceMidnight = (Number(hour) * 60 + Number(minute)) * minuteMs;
  const found: number[] = [];
  const first = Math.floor(localTime(zone, from) / dayMs) * dayMs;
  for (let day = first; day <= localTime(zone, to); day += dayMs) {
    const at = momentOf(zone, day + sinceMidnight);
    if (at > from && at <= to && isOn(days, names[new Date(day).getUTCDay()] ?? '')) found.push(at);
  }
  return found;
}
