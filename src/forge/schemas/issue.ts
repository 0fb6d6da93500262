import { z } from 'zod';
import { Label } from './label.js';
import { Milestone } from './milestone.js';
import { Project } from './project.js';
import { RepositoryMeta } from './repository.js';
import { Count, Flag, Id, listOf, maybe, State, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

const PullRequestMeta = z.object({
  draft: Flag,
  merged: Flag,
  merged_at: TimeOrUnset,
  html_url: Text,
});

export const Issue = z.object({
  id: Id,
  number: Id,
  title: z.string(),
  body: Text,
  state: State,
  html_url: Text,
  url: Text,
  user: maybe(User),
  original_author: Text,
  assignees: listOf(User),
  labels: listOf(Label),
  milestone: maybe(Milestone),
  projects: listOf(Project),
  /** Present if this is a pull request. */
  pull_request: maybe(PullRequestMeta),
  repository: maybe(RepositoryMeta),
  comments: Count,
  /** Absent before 1.26: then an edit cannot detect that someone else was faster. */
  content_version: maybe(Id),
  is_locked: Flag,
  pin_order: Count,
  ref: Text,
  time_estimate: Count,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  closed_at: TimeOrUnset,
  due_date: TimeOrUnset,
});
export type Issue = z.infer<typeof Issue>;
