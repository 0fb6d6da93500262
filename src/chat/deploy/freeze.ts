import { type Deployment, type FreezeWindow, weekdays } from '../../config.js';
import { showDuration } from '../../duration.js';
import type { Freeze } from '../../store/index.js';

/** Day and minute on a wall clock there, so that it stays right across daylight saving time. */
function wallClock(now: Date, zone: string): { readonly day: number; readonly minute: number } {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  const day = weekdays.findIndex((each) => part('weekday').toLowerCase().startsWith(each));
  return { day, minute: Number(part('hour')) * 60 + Number(part('minute')) };
}

const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

function holds({ days, from, to, zone }: FreezeWindow, now: Date): boolean {
  const { day, minute } = wallClock(now, zone);
  const [start, end] = [minutes(from), minutes(to)];
  const on = (at: number) => days.some((each) => each === weekdays[(at + 7) % 7]);
  if (start < end) return on(day) && minute >= start && minute < end;
  return (on(day) && minute >= start) || (on(day - 1) && minute < end);
}

/** Why nothing may be deployed now, as a sentence; undefined if it may. */
export function frozenBy(
  environment: string,
  deployment: Deployment,
  byHand: Freeze | undefined,
  now: Date,
): string | undefined {
  const because = (reason: string | undefined) => (reason ? ` (${reason})` : '');
  if (byHand && byHand.until > now.getTime()) {
    const left = showDuration((byHand.until - now.getTime()) / 1_000);
    return `${environment} is frozen for another ${left}${because(byHand.reason)}.`;
  }
  const window = deployment.freeze.find((each) => holds(each, now));
  return window && `${environment} is frozen until ${window.to} ${window.zone}${because(window.reason)}.`;
}
