import { z } from 'zod';
import { Label } from './label.js';
import { Milestone } from './milestone.js';
import { RepositoryRef } from './repository.js';
import { Count, Flag, Id, listOf, maybe, State, Text, TimeOrUnset } from './scalar.js';
import { Team } from './team.js';
import { User } from './user.js';

/** `repo` is missing if the fork was deleted. */
const PullBranch = z.object({
  label: Text,
  ref: Text,
  sha: Text,
  repo: maybe(RepositoryRef),
});

/** The API document has only some of these fields: only the identity is certain. */
export const PullRequest = z.object({
  id: Id,
  number: Id,
  title: Text,
  body: Text,
  state: maybe(State),
  html_url: Text,
  user: maybe(User),
  assignees: listOf(User),
  labels: listOf(Label),
  milestone: maybe(Milestone),
  requested_reviewers: listOf(User),
  requested_reviewers_teams: listOf(Team),
  base: maybe(PullBranch),
  head: maybe(PullBranch),
  draft: Flag,
  mergeable: Flag,
  merged: Flag,
  merged_at: TimeOrUnset,
  merged_by: maybe(User),
  merge_commit_sha: Text,
  /** Where the branches diverged; it follows a push a moment later. */
  merge_base: Text,
  allow_maintainer_edit: Flag,
  additions: maybe(z.int()),
  deletions: maybe(z.int()),
  changed_files: maybe(z.int()),
  comments: Count,
  review_comments: Count,
  content_version: maybe(Id),
  is_locked: Flag,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  closed_at: TimeOrUnset,
  due_date: TimeOrUnset,
});
/** A file that a pull request changes. */
export const ChangedFile = z.object({ filename: Text, status: Text });

export type PullRequest = z.infer<typeof PullRequest>;
