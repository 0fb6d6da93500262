import { z } from 'zod';
import { issueFilters } from '../filters.js';
import { operation } from '../operation.js';
import { Comment, Issue, Label, State, TimelineEntry, TrackedTime } from '../schemas.js';
import { Moment, Name, Paging, paging, RowId, StateFilter, Title } from './input.js';

/** The other issue of a dependency; the server takes an empty owner or repo for another repository. */
const IssueMeta = z.strictObject({ index: RowId, owner: Name, repo: Name });

const EditIssue = z.strictObject({
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

const CreateIssue = z.strictObject({
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

export const issues = {
  edit: operation({
    route: 'PATCH /repos/{owner}/{repo}/issues/{index}',
    scope: ['issue'],
    effect: 'idempotent',
    body: EditIssue,
    answer: Issue,
    failures: ['invalid', 'forbidden', 'notFound', 'conflict', 'blocked', 'rejected'],
  }),
  /** The issue in the body becomes blocked by the issue in the path. A repeat is a 500, so never sent twice. */
  block: operation({
    route: 'POST /repos/{owner}/{repo}/issues/{index}/blocks',
    scope: ['issue'],
    effect: 'once',
    body: IssueMeta,
    answer: Issue,
    failures: ['notFound', 'invalid', 'rejected'],
    since: '1.20',
  }),
  unblock: operation({
    route: 'DELETE /repos/{owner}/{repo}/issues/{index}/blocks',
    scope: ['issue'],
    effect: 'once',
    body: IssueMeta,
    answer: Issue,
    failures: ['notFound', 'invalid', 'rejected'],
    since: '1.20',
  }),
  addTime: operation({
    route: 'POST /repos/{owner}/{repo}/issues/{index}/times',
    scope: ['issue'],
    effect: 'once',
    body: z.strictObject({
      /** Seconds; negative removes time. */
      time: z.int().refine((seconds) => seconds !== 0, 'must not be 0'),
      created: Moment.optional(),
      user_name: z.string().optional(),
    }),
    answer: TrackedTime,
    failures: ['invalid', 'forbidden', 'notFound'],
  }),
  comment: operation({
    route: 'POST /repos/{owner}/{repo}/issues/{index}/comments',
    scope: ['issue'],
    effect: 'once',
    body: z.strictObject({ body: z.string().min(1) }),
    answer: Comment,
    failures: ['forbidden', 'notFound', 'invalid', 'archived', 'rejected'],
  }),
  search: operation({
    route: 'GET /repos/issues/search',
    scope: ['issue'],
    effect: 'read',
    query: z.strictObject({
      state: StateFilter.optional(),
      type: z.enum(['issues', 'pulls']).optional(),
      /** Comma-separated names, matching any. */
      labels: z.string().optional(),
      milestones: z.string().optional(),
      q: z.string().optional(),
      since: Moment.optional(),
      before: Moment.optional(),
      assigned: z.boolean().optional(),
      created: z.boolean().optional(),
      mentioned: z.boolean().optional(),
      review_requested: z.boolean().optional(),
      reviewed: z.boolean().optional(),
      owner: z.string().optional(),
      /** Needs `owner`. */
      team: z.string().optional(),
      created_by: z.string().optional(),
      ...paging,
    }),
    list: { item: Issue },
    failures: ['invalid', 'notFound'],
    forgejo: { ignores: ['created_by'] },
    rowFilters: issueFilters,
  }),
  list: operation({
    route: 'GET /repos/{owner}/{repo}/issues',
    scope: ['issue'],
    effect: 'read',
    query: z.strictObject({
      state: StateFilter.optional(),
      type: z.enum(['issues', 'pulls']).optional(),
      /** Changed since then. */
      since: Moment.optional(),
      ...paging,
    }),
    list: { item: Issue },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  get: operation({
    route: 'GET /repos/{owner}/{repo}/issues/{index}',
    scope: ['issue'],
    effect: 'read',
    answer: Issue,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  create: operation({
    route: 'POST /repos/{owner}/{repo}/issues',
    scope: ['issue'],
    effect: 'once',
    body: CreateIssue,
    answer: Issue,
    failures: ['forbidden', 'notFound', 'blocked', 'invalid', 'archived'],
    beyond: true,
  }),
  listComments: operation({
    route: 'GET /repos/{owner}/{repo}/issues/{index}/comments',
    scope: ['issue'],
    effect: 'read',
    query: z.strictObject({ since: Moment.optional(), before: Moment.optional(), ...paging }),
    list: { item: Comment },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  /** Everything that happened to an issue or pull request, oldest first. */
  timeline: operation({
    route: 'GET /repos/{owner}/{repo}/issues/{index}/timeline',
    scope: ['issue'],
    effect: 'read',
    query: z.strictObject({ since: Moment.optional(), before: Moment.optional(), ...paging }),
    list: { item: TimelineEntry, countsPage: 'header' },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  getComment: operation({
    route: 'GET /repos/{owner}/{repo}/issues/comments/{id}',
    scope: ['issue'],
    effect: 'read',
    answer: Comment,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  editComment: operation({
    route: 'PATCH /repos/{owner}/{repo}/issues/comments/{id}',
    scope: ['issue'],
    effect: 'idempotent',
    body: z.strictObject({ body: z.string().min(1) }),
    answer: Comment,
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    beyond: true,
  }),
  deleteComment: operation({
    route: 'DELETE /repos/{owner}/{repo}/issues/comments/{id}',
    scope: ['issue'],
    effect: 'idempotent',
    failures: ['forbidden', 'notFound', 'archived'],
    beyond: true,
  }),
  listTimes: operation({
    route: 'GET /repos/{owner}/{repo}/issues/{index}/times',
    scope: ['issue'],
    effect: 'read',
    query: z.strictObject({ since: Moment.optional(), before: Moment.optional(), ...paging }),
    list: { item: TrackedTime },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  setLabels: operation({
    route: 'PUT /repos/{owner}/{repo}/issues/{index}/labels',
    scope: ['issue'],
    effect: 'idempotent',
    body: z.strictObject({ labels: z.array(z.union([RowId, Name])) }),
    answer: z.array(Label),
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    beyond: true,
  }),
  /** What blocks this issue. */
  listDependencies: operation({
    route: 'GET /repos/{owner}/{repo}/issues/{index}/dependencies',
    scope: ['issue'],
    effect: 'read',
    query: Paging,
    list: { item: Issue },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.20',
  }),
  /** What this issue blocks. */
  listBlocks: operation({
    route: 'GET /repos/{owner}/{repo}/issues/{index}/blocks',
    scope: ['issue'],
    effect: 'read',
    query: Paging,
    list: { item: Issue },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.20',
  }),
} as const;
