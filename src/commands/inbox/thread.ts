import { z } from 'zod';
import { issue } from '../../chat/fields/index.js';
import { askingField, type Needed } from '../../chat/fields/make.js';
import type { MeantThread } from '../../domain/inbox/thread.js';

const item = issue({ label: 'Notification' });

type Written =
  | { readonly thread: number }
  | { readonly owner?: string | undefined; readonly repo?: string | undefined; readonly index: number };

/** A notification by its id, or by its issue or pull request. */
export function thread(): Needed<Written, MeantThread> {
  return askingField<Written, MeantThread>(
    {},
    {
      label: 'Notification',
      placeholder: 'owner/repo#12',
      input: { kind: 'text', max: 400 },
      schema: z.union([z.object({ thread: z.int().min(1) }), item.schema]),
      read: (text, reading) => (/^\s*\d{1,15}\s*$/.test(text) ? { thread: Number(text) } : item.read(text, reading)),
      show: (value) => ('thread' in value ? String(value.thread) : item.show(value)),
      resolve: (value, context) => ('thread' in value ? value : item.resolve(value, context)),
    },
  );
}
