import { z } from 'zod';
import { Id, Text } from './scalar.js';

export const Organization = z
  .object({
    id: Id,
    name: z.string().optional(),
    /** The older name of `name`; old servers send only this one. */
    username: z.string().optional(),
    full_name: Text,
    description: Text,
    avatar_url: Text,
    visibility: Text,
  })
  .transform(({ name, username, ...rest }) => ({ ...rest, name: name ?? username ?? '' }));
export type Organization = z.infer<typeof Organization>;
