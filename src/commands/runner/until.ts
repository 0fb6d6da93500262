import { z } from 'zod';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { readDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { strikes } from '../../wall-clock.js';

const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const exact = z.iso.datetime();
const longest = 31 * 86_400_000;

/** A moment: `18:00` in the person's time zone (the next one) or a duration from now. */
export function moment(): Needed<string> {
  return plainField(
    { hint: 'A time such as 18:00, or a length of time such as 2h.' },
    {
      label: 'Enable again',
      placeholder: '18:00|2h',
      input: { kind: 'text', max: 40 },
      schema: exact,
      read(text, { now, zone = 0 }) {
        const at = now.getTime();
        const [, hours, minutes] = clock.exec(text.trim()) ?? [];
        if (hours !== undefined)
          return new Date(strikes(zone, Number(hours) * 60 + Number(minutes), at).next).toISOString();
        // already in the form it is shown in
        if (exact.safeParse(text.trim()).success) return text.trim();
        const seconds = readDuration(text);
        if (seconds === undefined) throw new UserError('Write a time such as 18:00, or a length of time such as 2h.');
        if (seconds < 60 || seconds * 1_000 > longest) throw new UserError('Choose between a minute and 31 days.');
        return new Date(at + seconds * 1_000).toISOString();
      },
      show: (value) => value,
    },
  );
}
