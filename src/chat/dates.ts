import { UserError } from '../errors.js';
import { localTime } from '../wall-clock.js';
import type { Reading } from './field.js';

const day = 86_400_000;
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const iso = /^(\d{4})-(\d{2})-(\d{2})$/;
const ahead = /^(?:in\s+|\+)?(\d{1,3})\s*(d|days?|w|weeks?)$/;
const back = /^(?:-(\d{1,3})\s*(d|days?|w|weeks?)|(\d{1,3})\s*(d|days?|w|weeks?)\s+ago)$/;

const show = (time: number) => new Date(time).toISOString().slice(0, 10);
const days = (amount: string | undefined, unit: string | undefined) =>
  Number(amount) * (unit?.startsWith('w') === true ? 7 : 1) * day;

function weekdayOf(word: string): number {
  return word.length < 2 ? -1 : weekdays.findIndex((name) => name.startsWith(word));
}

/** Midnight of the person's day, counted as if their clock were UTC. */
function startOfToday({ now, zone = 0 }: Reading): number {
  return Math.floor(localTime(zone, now.getTime()) / day) * day;
}

function exact(text: string): string | undefined {
  const [, year, month, date] = iso.exec(text) ?? [];
  if (year === undefined) return undefined;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(date));
  const real = Number(year) >= 1970 && show(time) === text;
  if (!real) throw new UserError(`${text} is not a valid date. Write it as 2026-12-01.`);
  return text;
}

/** A weekday never means today; `next` means the following week, which starts on Monday. */
function weekday(words: string, today: number, past: boolean): number | undefined {
  const [, next, name] = /^(next[\s-]+)?([a-z]+)$/.exec(words) ?? [];
  const present = new Date(today).getUTCDay();
  const sinceMonday = (present + 6) % 7;
  if (next !== undefined && name === 'week') return today + (7 - sinceMonday) * day;
  const wanted = weekdayOf(name ?? '');
  if (wanted === -1) return undefined;
  if (next !== undefined) return today + (7 - sinceMonday + ((wanted + 6) % 7)) * day;
  const distance = (wanted - present + 7) % 7 || 7;
  return today + (past ? distance - 7 || -7 : distance) * day;
}

function relative(words: string, today: number, past: boolean): number | undefined {
  if (words === 'today') return today;
  if (words === 'tomorrow' || words === 'tom') return today + day;
  if (words === 'yesterday') return today - day;
  const forward = ahead.exec(words);
  if (forward) return today + days(forward[1], forward[2]);
  const backward = back.exec(words);
  if (backward) return today - days(backward[1] ?? backward[3], backward[2] ?? backward[4]);
  return weekday(words, today, past);
}

/** `tomorrow`, `fri`, `next mon`, `+3d`, `2026-12-01` as YYYY-MM-DD in the person's time zone. */
export function readDate(text: string, reading: Reading, past: boolean): string {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const today = startOfToday(reading);
  const time = words.length > 30 ? undefined : relative(words, today, past);
  const found = exact(words) ?? (time === undefined ? undefined : show(time));
  if (found === undefined) {
    const examples = past ? 'yesterday, mon' : 'tomorrow, fri, next mon, +3d';
    throw new UserError(`I can’t read that date. Write ${examples} or 2026-12-01.`);
  }
  if (!past && found < show(today)) {
    throw new UserError(`${found} is in the past. Write a later date, such as tomorrow, fri or +3d.`);
  }
  return found;
}
