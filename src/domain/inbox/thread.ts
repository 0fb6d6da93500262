import type { Context } from '../../chat/context.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { NotificationThread } from '../../forge/schemas/notification.js';

export type MeantThread = { readonly thread: number } | ItemRef;

const mostRead = 500;

function isAbout({ repository, subject }: NotificationThread, ref: ItemRef): boolean {
  if (repository?.full_name.toLowerCase() !== fullName(ref).toLowerCase()) return false;
  return [subject?.html_url, subject?.url].some(
    (url) => Number(/\/(?:issues|pulls)\/(\d+)$/.exec(url ?? '')?.[1]) === ref.index,
  );
}

export async function threadId(meant: MeantThread, { api }: Context): Promise<number> {
  if ('thread' in meant) return meant.thread;
  for await (const each of api.notifications.list.each({ query: { all: true } }, { max: mostRead })) {
    if (isAbout(each, meant)) return each.id;
  }
  throw new UserError(`You have no notification about ${refOf(meant)} among your latest ${mostRead}.`);
}
