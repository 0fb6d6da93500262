import { z } from 'zod';
import { Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

export const Comment = z.object({
  id: Id,
  body: Text,
  html_url: Text,
  /** Web addresses, and empty on the other kind. */
  issue_url: Text,
  pull_request_url: Text,
  /** Null inside a feed: there the actor is `act_user`. */
  user: maybe(User),
  original_author: Text,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type Comment = z.infer<typeof Comment>;
