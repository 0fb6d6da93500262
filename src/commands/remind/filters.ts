import { z } from 'zod';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';

export interface LabelFilter {
  readonly labels: readonly string[];
  readonly without: readonly string[];
}

const most = 20;

/** `bug,-wip`: any of the plain ones, none of those with a minus. */
export function labelFilter(): Needed<LabelFilter> {
  const names = z.array(z.string().min(1).max(50)).max(most).readonly();
  return plainField<LabelFilter>(
    {},
    {
      label: 'Labels',
      placeholder: 'bug,-wip',
      input: { kind: 'text', max: 400 },
      schema: z.object({ labels: names, without: names }),
      read: (text) => {
        const words = text.split(',').map((word) => word.trim());
        const given = words.filter((word) => word.replace(/^[+-]/, '') !== '');
        if (given.length === 0 || given.length > most)
          throw new UserError('Separate labels with commas, for example bug,-wip.');
        const named = (minus: boolean) =>
          given.filter((word) => word.startsWith('-') === minus).map((word) => word.replace(/^[+-]/, ''));
        return { labels: named(false), without: named(true) };
      },
      show: ({ labels, without }) => [...labels, ...without.map((name) => `-${name}`)].join(','),
    },
  );
}
