import { z } from 'zod';
import { RepositoryRef } from './repository.js';
import { Count, Flag, Id, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

export const DeployKey = z.object({
  id: Id,
  key_id: Count,
  title: Text,
  key: Text,
  fingerprint: Text,
  /** ssh or token; only the newest servers say. */
  key_type: maybe(z.string()),
  /** Plaintext, only when a token key is created: never log, never post. */
  token: maybe(z.string()),
  read_only: Flag,
  repository: maybe(RepositoryRef),
  created_at: TimeOrUnset,
});
export type DeployKey = z.infer<typeof DeployKey>;

export const PublicKey = z
  .object({
    id: Id,
    title: Text,
    key: Text,
    fingerprint: Text,
    key_type: Text,
    read_only: Flag,
    user: maybe(User),
    created_at: TimeOrUnset,
    last_used_at: TimeOrUnset,
    updated_at: TimeOrUnset,
  })
  // the API document calls the last use `updated_at`
  .transform(({ updated_at, last_used_at, ...rest }) => ({ ...rest, last_used_at: last_used_at ?? updated_at }));
export type PublicKey = z.infer<typeof PublicKey>;
