import { z } from 'zod';
import { listOf, splitList } from '../../chat/fields/lists.js';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';

const most = 50;

/** Further runs of the same repository, by id. */
export function also(): Needed<readonly number[]> {
  return plainField<readonly number[]>(
    {},
    {
      label: 'More runs',
      placeholder: '124,125',
      input: { kind: 'text', max: 1000 },
      schema: z.array(z.int().min(1)).min(1).max(most).readonly(),
      read: (text) => {
        const ids = listOf(splitList(text.replace(/\s+/g, ',')), 'runs', most, 20);
        return ids.map((id) => {
          const digits = id.replace(/^#/, '');
          if (/^[1-9]\d{0,14}$/.test(digits)) return Number(digits);
          throw new UserError(`“${id}” is not a run ID. Write numbers separated by commas: 124,125.`);
        });
      },
      show: (ids) => ids.join(','),
    },
  );
}
