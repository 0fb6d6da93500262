import { z } from 'zod';
import { RepositoryRef } from './repository.js';
import { Count, Flag, Id, maybe, Text, Time } from './scalar.js';

export const NotificationStatus = z.enum(['unread', 'read', 'pinned']);
export type NotificationStatus = z.infer<typeof NotificationStatus>;

const NotificationSubject = z.object({
  /** Issue, Pull, Commit or Repository. */
  type: z.string(),
  title: Text,
  /** open, closed, merged or empty. */
  state: Text,
  html_url: Text,
  /** An API address; for a pull request, the issue's. */
  url: Text,
  latest_comment_html_url: Text,
  latest_comment_url: Text,
});

/** `repository` and `subject` are missing if the reader lost access. */
export const NotificationThread = z.object({
  id: Id,
  unread: Flag,
  pinned: Flag,
  updated_at: Time,
  repository: maybe(RepositoryRef),
  subject: maybe(NotificationSubject),
  url: Text,
});
export type NotificationThread = z.infer<typeof NotificationThread>;

export const NotificationCount = z.object({ new: Count });
export type NotificationCount = z.infer<typeof NotificationCount>;
