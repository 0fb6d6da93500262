import { z } from 'zod';
import { Flag, Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

export const Release = z.object({
  id: Id,
  tag_name: Text,
  name: Text,
  body: Text,
  html_url: Text,
  draft: Flag,
  prerelease: Flag,
  author: maybe(User),
  published_at: TimeOrUnset,
});
export type Release = z.infer<typeof Release>;
