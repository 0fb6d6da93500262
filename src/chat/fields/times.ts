import { z } from 'zod';
import { readDuration, showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { readDate } from '../dates.js';
import { type Needed, plainField, type Words } from './make.js';

interface DurationOptions extends Words {
  readonly label: string;
  /** In seconds. */
  readonly min?: number;
  readonly max?: number;
}

const year = 365 * 86_400;

/** Reads back as the same number of seconds. */
const exactly = (seconds: number): string => showDuration(seconds, 4);

/** Seconds, from `1h30m`, `90m`, `1.5h`, `2d`. */
export function duration(options: DurationOptions): Needed<number> {
  const { label, min = 1, max = year } = options;
  return plainField(options, {
    label,
    placeholder: '1h30m',
    input: { kind: 'text', max: 40 },
    schema: z.int().min(min).max(max),
    read: (text) => {
      const seconds = readDuration(text);
      if (seconds === undefined) throw new UserError('I can’t read that duration. Write 1h30m, 90m, 1.5h or 2d.');
      if (seconds < min) throw new UserError(`${label} is too short: write at least ${exactly(min)}.`);
      if (seconds > max) throw new UserError(`${label} is too long: write at most ${exactly(max)}.`);
      return seconds;
    },
    show: exactly,
  });
}

/** A day as YYYY-MM-DD in the person's time zone; `past` also takes past days, and `mon` then means the last Monday. */
export function date(options: Words & { readonly label: string; readonly past?: boolean }): Needed<string> {
  return plainField(options, {
    label: options.label,
    placeholder: options.past === true ? '2026-12-01|yesterday|mon' : '2026-12-01|tomorrow|fri',
    typed: 'rest',
    input: { kind: 'date' },
    schema: z.iso.date(),
    read: (text, reading) => readDate(text, reading, options.past === true),
    show: (value) => value,
  });
}
