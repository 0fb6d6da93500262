import type { Deployment, FreezeWindow } from '../../config.js';
import type { Freeze } from '../../store/index.js';
import { describeElapsed } from '../../view/when.js';
import { localTime } from '../../wall-clock.js';
import { minutesOf, weekdays } from '../../working-hours.js';

function holds({ days, from, to, zone }: FreezeWindow, now: Date): boolean {
  // as a clock there shows it, so that it stays right across daylight saving time
  const local = new Date(localTime(zone, now.getTime()));
  const day = (local.getUTCDay() + 6) % 7;
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const on = (at: number) => days.some((each) => each === weekdays[(at + 7) % 7]);
  if (start < end) return on(day) && minute >= start && minute < end;
  return (on(day) && minute >= start) || (on(day - 1) && minute < end);
}

/** Why nothing may be deployed now, as a sentence; undefined if it may. */
export function frozenBy(
  environment: string,
  deployment: Pick<Deployment, 'freeze'>,
  byHand: Freeze | undefined,
  now: Date,
): string | undefined {
  const because = (reason: string | undefined) => (reason ? ` (${reason})` : '');
  if (byHand && byHand.until > now.getTime()) {
    const left = describeElapsed(byHand.until - now.getTime());
    return `${environment} is frozen for another ${left}${because(byHand.reason)}.`;
  }
  const window = deployment.freeze.find((each) => holds(each, now));
  return window && `${environment} is frozen until ${window.to} ${window.zone}${because(window.reason)}.`;
}
