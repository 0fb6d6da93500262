import type { KnownBlock } from '@slack/types';
import { frame, type Look, when } from '../look.js';
import { link } from '../text.js';
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
  return thread.unread ? '🔵 Unread' : '⚪ Read';
}

export function notificationRow(thread: NotificationLike, look: Look): KnownBlock[] {
  const { subject } = thread;
  return frame(
    {
      state: notificationState(thread),
      subject: link(
        subject?.latest_comment_html_url || subject?.html_url,
        subject?.title || 'Something you can no longer see',
      ),
      facts: [
        thread.repository?.full_name,
        [subject?.state, kinds.get(subject?.type ?? '') ?? subject?.type].filter(Boolean).join(' '),
        when(thread.updated_at, look),
      ],
    },
    { style: 'row', ...look },
  );
}
