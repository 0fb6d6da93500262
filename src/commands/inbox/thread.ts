import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { issue } from '../../chat/fields/index.js';
import { askingField, type Needed } from '../../chat/fields/make.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { NotificationThread } from '../../forge/schemas/notification.js';

const item = issue({ label: 'Notification' });

type Written =
  | { readonly thread: number }
  | { readonly owner?: string | undefined; readonly repo?: string | undefined; readonly index: number };
type Meant = { readonly thread: number } | ItemRef;

/** A notification by its own id, or by the issue or pull request it is about. */
export function thread(): Needed<Written, Meant> {
  return askingField<Written, Meant>(
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

const mostRead = 500;

function isAbout({ repository, subject }: NotificationThread, ref: ItemRef): boolean {
  if (repository?.full_name.toLowerCase() !== fullName(ref).toLowerCase()) return false;
  return [subject?.html_url, subject?.url].some(
    (url) => Number(/\/(?:issues|pulls)\/(\d+)$/.exec(url ?? '')?.[1]) === ref.index,
  );
}

export async function threadId(meant: Meant, { api }: Context): Promise<number> {
  if ('thread' in meant) return meant.thread;
  for await (const each of api.notifications.list.each({ query: { all: true } }, { max: mostRead })) {
    if (isAbout(each, meant)) return each.id;
  }
  throw new UserError(`You have no notification about ${refOf(meant)} among your latest ${mostRead}.`);
}
