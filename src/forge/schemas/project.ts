import { z } from 'zod';
import { Count, Flag, Id, maybe, State, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

export const Project = z
  .object({
    id: Id,
    title: z.string(),
    description: Text,
    state: State.nullish(),
    is_closed: Flag,
    type: Text,
    template_type: Text,
    card_type: Text,
    html_url: Text,
    owner_id: Count,
    repo_id: Count,
    num_issues: Count,
    num_open_issues: Count,
    num_closed_issues: Count,
    creator: maybe(User),
    created_at: TimeOrUnset,
    updated_at: TimeOrUnset,
    closed_at: TimeOrUnset,
  })
  // 1.27 lists projects on issues but has no `state` yet
  .transform(({ is_closed, state, ...rest }) => ({ ...rest, state: state ?? (is_closed ? 'closed' : 'open') }));
export type Project = z.infer<typeof Project>;

export const ProjectColumn = z.object({
  id: Id,
  title: z.string(),
  color: Text,
  default: Flag,
  sorting: Count,
  project_id: Count,
  creator: maybe(User),
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type ProjectColumn = z.infer<typeof ProjectColumn>;
