import { z } from 'zod';
import { Flag, Id, Text } from './scalar.js';

export const Label = z.object({
  id: Id,
  name: z.string(),
  /** Six hex digits, without the # that requests need. */
  color: Text,
  description: Text,
  exclusive: Flag,
  is_archived: Flag,
});
export type Label = z.infer<typeof Label>;
