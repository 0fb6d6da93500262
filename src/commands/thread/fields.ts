import { z } from 'zod';
import { hidden } from '../../chat/fields/hidden.js';
import { plainField } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';

const mark = (form: RegExp, what: string) =>
  hidden(
    plainField<string>(
      {},
      {
        label: what,
        placeholder: what,
        input: { kind: 'text' },
        schema: z.string().regex(form),
        read: (text) => {
          if (form.test(text.trim())) return text.trim();
          throw new UserError(`This is not a ${what}.`);
        },
        show: (value) => value,
      },
    ),
  );

/** The Slack timestamp of the reply. */
export const reply = () => mark(/^\d{1,12}\.\d{1,8}$/, 'reply');
/** The item whose card started the thread. */
export const thread = () => mark(/^r\d{1,16}-n\d{1,16}$/, 'thread');
