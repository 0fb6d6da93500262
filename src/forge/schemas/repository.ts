import { z } from 'zod';
import { Count, Flag, Id, listOf, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

/** A repository as embedded elsewhere: kept small, since feeds carry fifty of them. */
export const RepositoryRef = z.object({
  id: Id,
  name: z.string(),
  full_name: z.string(),
  html_url: Text,
  private: Flag,
  internal: Flag,
  owner: maybe(z.object({ visibility: Text })),
});
export type RepositoryRef = z.infer<typeof RepositoryRef>;

const Permission = z.object({ admin: Flag, push: Flag, pull: Flag });

export const Repository = RepositoryRef.extend({
  owner: maybe(User.extend({ visibility: Text })),
  description: Text,
  default_branch: Text,
  language: Text,
  website: Text,
  clone_url: Text,
  ssh_url: Text,
  original_url: Text,
  avatar_url: Text,
  empty: Flag,
  fork: Flag,
  mirror: Flag,
  template: Flag,
  archived: Flag,
  has_issues: Flag,
  has_pull_requests: Flag,
  has_projects: Flag,
  has_actions: Flag,
  default_merge_style: Text,
  default_delete_branch_after_merge: Flag,
  object_format_name: Text,
  size: Count,
  stars_count: Count,
  forks_count: Count,
  watchers_count: Count,
  open_issues_count: Count,
  open_pr_counter: Count,
  topics: listOf(z.string()),
  permissions: maybe(Permission),
  parent: maybe(RepositoryRef),
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  archived_at: TimeOrUnset,
});
export type Repository = z.infer<typeof Repository>;

/** An issue's repository: here the owner is just a login. */
export const RepositoryMeta = z.object({ id: Id, name: z.string(), owner: z.string(), full_name: z.string() });
export type RepositoryMeta = z.infer<typeof RepositoryMeta>;

export const Branch = z.object({
  name: z.string(),
  protected: Flag,
  required_approvals: Count,
  enable_status_check: Flag,
  /** Patterns; all must be green if this is empty. */
  status_check_contexts: listOf(z.string()),
  /** Whether the caller may. */
  user_can_merge: maybe(z.boolean()),
  commit: maybe(z.object({ id: Text, message: Text, timestamp: TimeOrUnset })),
});
export type Branch = z.infer<typeof Branch>;

/** A person's permission in a repository: none, read, write, admin or owner. */
export const CollaboratorPermission = z.object({ permission: z.string(), role_name: Text, user: maybe(User) });
export type CollaboratorPermission = z.infer<typeof CollaboratorPermission>;
