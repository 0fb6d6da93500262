import { z } from 'zod';
import { Count, Flag, Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { Team } from './team.js';
import { User } from './user.js';

export const PullReview = z.object({
  id: Id,
  /** APPROVED, PENDING, COMMENT, REQUEST_CHANGES or REQUEST_REVIEW. */
  state: z.string(),
  body: Text,
  html_url: Text,
  commit_id: Text,
  comments_count: Count,
  dismissed: Flag,
  official: Flag,
  stale: Flag,
  /** One of the two is set. */
  user: maybe(User),
  team: maybe(Team),
  submitted_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type PullReview = z.infer<typeof PullReview>;
