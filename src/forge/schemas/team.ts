import { z } from 'zod';
import { Organization } from './organization.js';
import { Flag, Id, maybe, Text } from './scalar.js';

export const Team = z.object({
  id: Id,
  name: z.string(),
  description: Text,
  organization: maybe(Organization),
  permission: Text,
  can_create_org_repo: Flag,
  includes_all_repositories: Flag,
  visibility: Text,
  /** `repo.actions` and the like, each with none, read, write, admin or owner. */
  units_map: maybe(z.record(z.string(), z.string())),
});
export type Team = z.infer<typeof Team>;
