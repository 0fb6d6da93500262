import { z } from 'zod';
import { Flag, Id, listOf, maybe, Text, TimeOrUnset } from './scalar.js';

/** Its `authorization_header` is left out on purpose: nobody here needs that secret. */
export const Hook = z.object({
  id: Id,
  name: Text,
  type: Text,
  branch_filter: Text,
  config: maybe(z.object({ url: Text, content_type: Text, channel: Text })),
  events: listOf(z.string()),
  active: Flag,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type Hook = z.infer<typeof Hook>;
