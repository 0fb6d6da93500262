import { z } from 'zod';
import { RepositoryRef } from './repository.js';
import { Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

export const Package = z.object({
  id: Id,
  type: z.string(),
  name: z.string(),
  version: z.string(),
  html_url: Text,
  owner: maybe(User),
  creator: maybe(User),
  repository: maybe(RepositoryRef),
  created_at: TimeOrUnset,
});
export type Package = z.infer<typeof Package>;
