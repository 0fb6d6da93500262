import type { NotificationThread } from '../../forge/schemas/notification.js';
import type { Item } from '../event.js';
import { itemThread } from '../item.js';

const subjectKinds: Readonly<Record<string, Item['kind']>> = {
  Issue: 'issue',
  Pull: 'pull',
  Commit: 'commit',
  Repository: 'repo',
};

/** What a notification is about; undefined if its reader lost access. */
export const subjectOf = ({ repository, subject }: NotificationThread): Item | undefined =>
  repository && subject && subjectItem(repository.id, subject);

export function subjectItem(
  repo: number,
  subject: { readonly type: string; readonly title: string; readonly html_url: string },
): Item {
  const kind = subjectKinds[subject.type] ?? 'repo';
  const number = Number(/\/(?:issues|pulls)\/(\d+)/.exec(subject.html_url)?.[1]);
  const numbered = (kind === 'issue' || kind === 'pull') && Number.isSafeInteger(number);
  return {
    kind,
    title: subject.title,
    url: subject.html_url,
    ...(numbered && { number, thread: itemThread(repo, number) }),
  };
}
