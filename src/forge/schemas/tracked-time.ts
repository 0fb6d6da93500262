import { z } from 'zod';
import { Issue } from './issue.js';
import { Id, maybe, Text, TimeOrUnset } from './scalar.js';

export const TrackedTime = z.object({
  id: Id,
  /** Seconds. */
  time: z.int(),
  user_name: Text,
  issue: maybe(Issue),
  created: TimeOrUnset,
});
export type TrackedTime = z.infer<typeof TrackedTime>;
