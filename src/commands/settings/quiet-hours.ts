import { z } from 'zod';
import { clearable } from '../../chat/fields/index.js';
import { type Needed, plainField, type Words } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';
import type { QuietHours } from '../../feed/quiet.js';

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const form = /^(\d{1,2})(?::(\d{2}))?\s*(?:-|–|—|to|until)\s*(\d{1,2})(?::(\d{2}))?$/i;

function time(hours: string, minutes = '00'): string {
  const text = `${hours.padStart(2, '0')}:${minutes}`;
  if (!clock.safeParse(text).success) throw unreadable();
  return text;
}

const unreadable = () => new UserError('Write quiet hours as 22:00-07:00, or off.');

/** `22:00-07:00` in the person's time zone; `off` removes them. */
export function quietHours(words: Words = {}): Needed<QuietHours | null> {
  const field = clearable(
    plainField<QuietHours>(words, {
      label: 'Quiet hours',
      placeholder: '22:00-07:00',
      input: { kind: 'text', max: 20 },
      schema: z.object({ from: clock, to: clock }),
      read: (text) => {
        const [, from, fromMinutes, to, toMinutes] = form.exec(text.trim()) ?? [];
        if (from === undefined || to === undefined) throw unreadable();
        const hours = { from: time(from, fromMinutes), to: time(to, toMinutes) };
        if (hours.from === hours.to)
          throw new UserError('Quiet hours must start and end at different times, such as 22:00-07:00.');
        return hours;
      },
      show: ({ from, to }) => `${from}-${to}`,
    }),
  );
  return { ...field, read: (text, reading) => field.read(/^\s*off\s*$/i.test(text) ? 'none' : text, reading) };
}
