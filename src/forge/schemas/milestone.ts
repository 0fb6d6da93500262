import { z } from 'zod';
import { Count, Id, maybe, State, Text, TimeOrUnset } from './scalar.js';

export const Milestone = z.object({
  id: Id,
  title: z.string(),
  description: Text,
  state: maybe(State),
  open_issues: Count,
  closed_issues: Count,
  due_on: TimeOrUnset,
  closed_at: TimeOrUnset,
});
export type Milestone = z.infer<typeof Milestone>;
