import { z } from 'zod';
import { choices } from '../../chat/fields/index.js';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';

const dayNames = {
  daily: 'Every day',
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} as const;

export const days = () =>
  choices(['daily', 'weekdays', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], {
    label: 'Days',
    labels: dayNames,
    hint: 'Every day, weekdays, or some days of the week.',
    placeholder: 'daily|weekdays|mon,thu',
  });

const clock = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?$/i;

function readTime(text: string): string | undefined {
  const [, hour, minutes = '00', half] = clock.exec(text.trim()) ?? [];
  if (hour === undefined || Number(minutes) > 59) return undefined;
  const given = Number(hour);
  if (half === undefined) return given > 23 ? undefined : `${String(given).padStart(2, '0')}:${minutes}`;
  if (given < 1 || given > 12) return undefined;
  const shifted = (given % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return `${String(shifted).padStart(2, '0')}:${minutes}`;
}

/** `9:30`, `17`, `5pm` as HH:MM, in the person's time zone. */
export function time(): Needed<string> {
  return plainField(
    {},
    {
      label: 'Time',
      placeholder: '9:30',
      input: { kind: 'text', max: 10 },
      schema: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      read: (text) => {
        const read = readTime(text);
        if (read === undefined) throw new UserError('I can’t read that time. Write 9:30, 17:00 or 5pm.');
        return read;
      },
      show: (value) => value,
    },
  );
}
