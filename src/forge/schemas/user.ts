import { z } from 'zod';
import { Flag, Id, maybe, Text, TimeOrUnset } from './scalar.js';

/** A user as embedded elsewhere. */
export const User = z.object({
  id: Id,
  login: z.string(),
  full_name: Text,
  avatar_url: Text,
  html_url: Text,
  /** User, Organization or Bot; only newer servers say. */
  type: maybe(z.string()),
});
export type User = z.infer<typeof User>;

/** A user read by name; private fields are zero unless the caller may see them. */
export const Account = User.extend({
  email: Text,
  is_admin: Flag,
  active: Flag,
  prohibit_login: Flag,
  restricted: Flag,
  visibility: Text,
  created: TimeOrUnset,
  last_login: TimeOrUnset,
});
export type Account = z.infer<typeof Account>;
