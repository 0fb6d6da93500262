import { z } from 'zod';
import { operation, type Values } from '../operation.js';
import { ChangedFile, PullRequest, PullReview, State, TextTail } from '../schemas.js';
import { Moment, Name, Paging, paging, RowId, StateFilter, Title } from './input.js';

const EditPull = z.strictObject({
  title: Title.optional(),
  body: z.string().optional(),
  state: State.optional(),
  assignees: z.array(Name).optional(),
  assignee: z.string().optional(),
  /** Replaces all. */
  labels: z.array(RowId).optional(),
  /** 0 is ignored here: a pull request's milestone is cleared by editing its issue. */
  milestone: RowId.optional(),
  base: Name.optional(),
  allow_maintainer_edit: z.boolean().optional(),
  due_date: Moment.optional(),
  /** False without a date makes the server fail. */
  unset_due_date: z.literal(true).optional(),
  content_version: z.int().min(0).optional(),
});

const RequestReviewers = z
  .strictObject({ reviewers: z.array(Name).optional(), team_reviewers: z.array(Name).optional() })
  .refine((body) => (body.reviewers?.length ?? 0) + (body.team_reviewers?.length ?? 0) > 0, {
    path: ['reviewers'],
    error: 'name a person or a team',
  });

const SubmitReview = z
  .strictObject({
    event: z.enum(['APPROVED', 'REQUEST_CHANGES', 'COMMENT']),
    body: z.string().optional(),
    /** The head that was seen. */
    commit_id: z.string().optional(),
    /** On lines of the new file, or of the old one if they were removed; the server checks neither path nor line. */
    comments: z
      .array(
        z.strictObject({
          path: z.string().min(1),
          body: z.string().min(1),
          new_position: z.int().min(1).optional(),
          old_position: z.int().min(1).optional(),
        }),
      )
      .min(1)
      .optional(),
  })
  .refine(
    ({ event, body, comments }) =>
      event === 'APPROVED' || Boolean(body?.trim()) || (event === 'COMMENT' && comments !== undefined),
    { path: ['body'], error: 'say why' },
  );

const Merge = z.strictObject({
  /** `Do` is the spelling every version understands. */
  Do: z.enum(['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'manually-merged']),
  merge_title_field: z.string().optional(),
  merge_message_field: z.string().optional(),
  head_commit_id: z.string().optional(),
  delete_branch_after_merge: z.boolean().optional(),
  force_merge: z.boolean().optional(),
});

/** Forgejo, and Gitea before 1.26, read title and message only under these names. */
function bothSpellings(body: Values): Values {
  const { merge_title_field: title, merge_message_field: text } = body;
  return {
    ...body,
    ...(title !== undefined && { MergeTitleField: title }),
    ...(text !== undefined && { MergeMessageField: text }),
  };
}

export const pulls = {
  edit: operation({
    route: 'PATCH /repos/{owner}/{repo}/pulls/{index}',
    effect: 'idempotent',
    body: EditPull,
    answer: PullRequest,
    failures: ['forbidden', 'notFound', 'conflict', 'blocked', 'invalid', 'rejected'],
  }),
  /** Returns only newly requested reviewers, without those already requested. */
  requestReviewers: operation({
    route: 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers',
    effect: 'idempotent',
    body: RequestReviewers,
    answer: z.array(PullReview),
    failures: ['forbidden', 'notFound', 'invalid'],
  }),
  /** Those who were not requested are no failure. */
  withdrawRequests: operation({
    route: 'DELETE /repos/{owner}/{repo}/pulls/{index}/requested_reviewers',
    effect: 'idempotent',
    body: RequestReviewers,
    failures: ['forbidden', 'notFound', 'invalid'],
    beyond: true,
  }),
  get: operation({
    route: 'GET /repos/{owner}/{repo}/pulls/{index}',
    effect: 'read',
    answer: PullRequest,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  list: operation({
    route: 'GET /repos/{owner}/{repo}/pulls',
    effect: 'read',
    query: z.strictObject({
      state: StateFilter.optional(),
      sort: z.enum(['oldest', 'recentupdate', 'recentclose', 'leastupdate', 'mostcomment', 'leastcomment']).optional(),
      milestone: RowId.optional(),
      labels: z.array(RowId).optional(),
      poster: z.string().optional(),
      base_branch: z.string().optional(),
      ...paging,
    }),
    list: { item: PullRequest },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listReviews: operation({
    route: 'GET /repos/{owner}/{repo}/pulls/{index}/reviews',
    effect: 'read',
    query: Paging,
    list: { item: PullReview },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listFiles: operation({
    route: 'GET /repos/{owner}/{repo}/pulls/{index}/files',
    effect: 'read',
    query: Paging,
    list: { item: ChangedFile },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  /** As of its head, as text; `diffType` is `diff`. */
  diff: operation({
    route: 'GET /repos/{owner}/{repo}/pulls/{index}.{diffType}',
    effect: 'read',
    answer: TextTail,
    tail: 1024 * 1024,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  submitReview: operation({
    route: 'POST /repos/{owner}/{repo}/pulls/{index}/reviews',
    effect: 'once',
    body: SubmitReview,
    answer: PullReview,
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    beyond: true,
  }),
  merge: operation({
    route: 'POST /repos/{owner}/{repo}/pulls/{index}/merge',
    effect: 'once',
    slow: true,
    body: Merge,
    failures: ['forbidden', 'notFound', 'rejected', 'conflict', 'invalid', 'archived'],
    beyond: true,
    send: bothSpellings,
  }),
  /** Brings the base's commits into the branch. A server error without words: nothing to do, or it did not work. */
  update: operation({
    route: 'POST /repos/{owner}/{repo}/pulls/{index}/update',
    effect: 'once',
    slow: true,
    query: z.strictObject({ style: z.enum(['merge', 'rebase']) }),
    failures: ['forbidden', 'notFound', 'conflict', 'invalid'],
    beyond: true,
  }),
} as const;
