import { z } from 'zod';
import { Flag, Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { Team } from './team.js';
import { User } from './user.js';

/** An event on an issue or pull request. */
export const TimelineEntry = z.object({
  id: Id,
  /** `comment`, `review_request`, `assignees`, `close`, `reopen`, `merge_pull`, `pull_push` and many more. */
  type: Text,
  user: maybe(User),
  /** Who was assigned or requested, or no longer is. */
  assignee: maybe(User),
  assignee_team: maybe(Team),
  removed_assignee: Flag,
  created_at: TimeOrUnset,
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;
