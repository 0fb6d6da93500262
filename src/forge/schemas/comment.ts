import { z } from 'zod';
import { Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

/** A comment in a feed: its author is missing there, so the activity's actor counts. */
export const CommentRef = z.object({ id: Id, body: Text, html_url: Text });
export type CommentRef = z.infer<typeof CommentRef>;

export const Comment = CommentRef.extend({
  /** Web addresses; one is empty, depending on the kind. */
  issue_url: Text,
  pull_request_url: Text,
  user: maybe(User),
  original_author: Text,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type Comment = z.infer<typeof Comment>;
