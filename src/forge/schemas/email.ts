import { z } from 'zod';
import { Count, Flag, Text } from './scalar.js';

export const Email = z.object({
  email: z.string(),
  verified: Flag,
  primary: Flag,
  user_id: Count,
  username: Text,
});
export type Email = z.infer<typeof Email>;
