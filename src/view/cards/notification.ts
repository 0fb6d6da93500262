import type { KnownBlock } from '@slack/types';
import { frame, type Look, when } from '../look.js';
import { join, link, type Mrkdwn, md } from '../text.js';
import type { Instant } from '../when.js';

export interface NotificationLike {
  readonly id: number;
  readonly unread?: boolean | null | undefined;
  readonly pinned?: boolean | null | undefined;
  readonly updated_at?: Instant;
  readonly repository?: { readonly full_name: string } | null | undefined;
  readonly subject?:
    | {
        readonly type: string;
        readonly title: string;
        readonly state?: string | null | undefined;
        readonly html_url?: string | null | undefined;
        readonly latest_comment_html_url?: string | null | undefined;
      }
    | null
    | undefined;
}

const kinds = new Map([
  ['Issue', 'issue'],
  ['Pull', 'pull request'],
  ['Commit', 'commit'],
  ['Repository', 'repository'],
]);

function notificationState(thread: NotificationLike): string {
  if (thread.pinned) return '📌 Pinned';
  return thread.unread ? '🔵 Unread' : '⚪ Done';
}

const titleOf = ({ subject }: NotificationLike): Mrkdwn =>
  link(subject?.latest_comment_html_url || subject?.html_url, subject?.title || 'An item you can no longer see');

/** `🔵 Leaking pipe · acme/engine#12 · 2 hours ago` */
export function notificationLine(thread: NotificationLike, look: Look): Mrkdwn {
  const [mark = ''] = notificationState(thread).split(' ');
  const number = /\/(?:issues|pulls)\/(\d+)(?:[#?].*)?$/.exec(thread.subject?.html_url ?? '')?.[1];
  const place = thread.repository ? `${thread.repository.full_name}${number ? `#${number}` : ''}` : undefined;
  return join([md`${mark} ${titleOf(thread).within(200)}`, place, when(thread.updated_at, look)]);
}

export function notificationRow(thread: NotificationLike, look: Look): KnownBlock[] {
  const { subject } = thread;
  return frame(
    {
      state: notificationState(thread),
      subject: titleOf(thread),
      facts: [
        thread.repository?.full_name,
        [subject?.state, kinds.get(subject?.type ?? '') ?? subject?.type].filter(Boolean).join(' '),
        when(thread.updated_at, look),
      ],
    },
    { style: 'row', ...look },
  );
}
