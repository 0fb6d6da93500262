import { z } from 'zod';
import { State } from '../schemas/scalar.js';
import { Moment, Name, RowId, Title } from './input.js';

/** The other issue of a dependency; the server takes an empty owner or repo for another repository. */
export const IssueMeta = z.strictObject({ index: RowId, owner: Name, repo: Name });

export const EditIssue = z.strictObject({
  title: Title.optional(),
  body: z.string().optional(),
  state: State.optional(),
  /** [] clears. */
  assignees: z.array(Name).optional(),
  /** Deprecated in favor of `assignees`. */
  assignee: z.string().optional(),
  /** 0 clears. */
  milestone: z.int().min(0).optional(),
  /** Replaces all. */
  projects: z.array(RowId).optional(),
  ref: z.string().optional(),
  due_date: Moment.optional(),
  unset_due_date: z.boolean().optional(),
  /** The version that was shown: a newer one at the server is a conflict. */
  content_version: z.int().min(0).optional(),
});

export const CreateIssue = z.strictObject({
  title: Title,
  body: z.string().optional(),
  assignees: z.array(Name).optional(),
  labels: z.array(RowId).optional(),
  milestone: RowId.optional(),
  projects: z.array(RowId).optional(),
  ref: z.string().optional(),
  due_date: Moment.optional(),
  closed: z.boolean().optional(),
});
