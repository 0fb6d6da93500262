import { dateToken, type Mrkdwn, md } from './text.js';

export type Instant = Date | string | number | null | undefined;

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Undefined for what the forge sends instead of "never": nothing, year 1, the epoch. */
export function instant(value: Instant): Date | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const at = value instanceof Date ? value : new Date(value);
  return Number.isNaN(at.getTime()) || at.getTime() <= 86_400_000 ? undefined : at;
}

/** `3 hours ago`, `in 2 days`, `just now`. */
export function age(at: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  const size = Math.abs(seconds);
  const unit = units.find(([, length]) => size >= length);
  if (unit === undefined) return seconds >= 0 ? 'just now' : 'in a moment';
  const count = Math.floor(size / unit[1]);
  const words = `${count} ${unit[0]}${count === 1 ? '' : 's'}`;
  return seconds >= 0 ? `${words} ago` : `in ${words}`;
}

/** `2 min 5 s`, `1 h 30 min`, `3 h`. */
export function describeElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  const largest = parts.findIndex(([count]) => count > 0);
  if (largest === -1) return 'less than a second';
  // seconds say nothing beside hours
  const shown = parts.slice(largest, largest + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** A moment in the reader's time zone; `unset` if the forge has none. */
export function date(value: Instant, now: Date, unset = 'never'): Mrkdwn {
  const at = instant(value);
  if (at === undefined) return md`${unset}`;
  return dateToken(at.getTime() / 1000, '{date_short_pretty} at {time}', age(at, now));
}

const halfDay = 43_200_000;

/** A calendar day (due dates), the same for every reader. */
export function day(value: Instant): string | undefined {
  const at = instant(value);
  if (at === undefined) return undefined;
  // The forge means the day's last second in its own zone; half a day earlier it is that day almost everywhere.
  const shift = at.getUTCSeconds() === 59 ? halfDay : 0;
  return new Date(at.getTime() - shift).toISOString().slice(0, 10);
}
