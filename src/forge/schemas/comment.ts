import { z } from 'zod';
import { Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

/** A comment as feeds carry it: its author is not filled in there, the actor is the activity's. */
export const CommentRef = z.object({ id: Id, body: Text, html_url: Text });
export type CommentRef = z.infer<typeof CommentRef>;

export const Comment = CommentRef.extend({
  /** Web addresses, and empty on the other kind. */
  issue_url: Text,
  pull_request_url: Text,
  user: maybe(User),
  original_author: Text,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type Comment = z.infer<typeof Comment>;
