import { z } from 'zod';
import { runFilters } from '../filters.js';
import { runQuery } from '../forgejo.js';
import { operation } from '../operation.js';
import { maybe, PoorerRun, RunFilter, TextTail, WorkflowJob, WorkflowRun } from '../schemas.js';
import { Direction, Paging, paging } from './input.js';

export const RunQuery = z.strictObject({
  event: z.string().optional(),
  /** Short name. */
  branch: z.string().optional(),
  status: z.array(RunFilter).optional(),
  /** A login; an unknown one is a 500 at the server. */
  actor: z.string().optional(),
  head_sha: z.string().optional(),
  exclude_pull_requests: z.boolean().optional(),
  /** The number on the forge's pages. */
  run_number: z.int().min(1).optional(),
  ...paging,
});

/** `run` is always the id, never the number people see. */
export const JobQuery = z.strictObject({
  status: z.array(RunFilter).optional(),
  sort: z.literal('id').optional(),
  /** Ignored by the server unless `sort` is sent too. */
  order: Direction.optional(),
  ...paging,
});

export const runs = {
  list: operation({
    route: 'GET /repos/{owner}/{repo}/actions/runs',
    effect: 'read',
    query: RunQuery,
    list: { item: WorkflowRun, in: 'workflow_runs', poorer: PoorerRun },
    failures: ['invalid', 'forbidden', 'notFound', 'rejected'],
    since: '1.25',
    forgejo: { since: '12', query: runQuery, ignores: ['branch', 'actor'] },
    rowFilters: runFilters,
    ignores: ['run_number'],
  }),
  forceCancel: operation({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run}/force-cancel',
    effect: 'idempotent',
    answer: WorkflowRun,
    failures: ['invalid', 'forbidden', 'notFound', 'conflict'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  get: operation({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run}',
    effect: 'read',
    answer: WorkflowRun,
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.25',
    forgejo: { since: '12' },
  }),
  listJobs: operation({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run}/jobs',
    effect: 'read',
    query: Paging,
    list: { item: WorkflowJob, in: 'jobs' },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.25',
    forgejo: { since: '16', unpaged: true },
  }),
  /** Jobs of an earlier attempt. */
  listAttemptJobs: operation({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs',
    effect: 'read',
    query: Paging,
    list: { item: WorkflowJob, in: 'jobs' },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.27',
    forgejo: { since: 'none' },
  }),
  /** Jobs of all runs of the repository; older servers start with the oldest, whatever the sort. */
  listRepoJobs: operation({
    route: 'GET /repos/{owner}/{repo}/actions/jobs',
    effect: 'read',
    query: JobQuery,
    list: { item: WorkflowJob, in: 'jobs' },
    failures: ['invalid', 'forbidden', 'notFound'],
    beyond: true,
    since: '1.25',
    forgejo: { since: 'none' },
  }),
  cancel: operation({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run}/cancel',
    effect: 'idempotent',
    /** Undefined if the server answers without a body: it was done, read the run again. */
    answer: maybe(WorkflowRun),
    failures: ['invalid', 'forbidden', 'notFound', 'conflict'],
    beyond: true,
    since: '1.28',
    forgejo: { since: '16' },
  }),
  /** For a fork's pull request; approving again changes nothing, and a run that never needed it is a conflict. */
  approve: operation({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run}/approve',
    effect: 'idempotent',
    failures: ['invalid', 'forbidden', 'notFound', 'conflict'],
    beyond: true,
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  rerun: operation({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run}/rerun',
    effect: 'once',
    answer: WorkflowRun,
    failures: ['invalid', 'forbidden', 'notFound'],
    beyond: true,
    since: '1.26',
    forgejo: { since: 'none' },
  }),
  /** Silently does nothing if no job failed. */
  rerunFailed: operation({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs',
    effect: 'once',
    failures: ['invalid', 'forbidden', 'notFound'],
    beyond: true,
    since: '1.26',
    forgejo: { since: 'none' },
  }),
  /** With every job that depends on it. */
  rerunJob: operation({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun',
    effect: 'once',
    failures: ['invalid', 'forbidden', 'notFound'],
    beyond: true,
    since: '1.26',
    forgejo: { since: 'none' },
  }),
  /** A job that no runner took, or whose log was cleaned up, has none: notFound. */
  jobLog: operation({
    route: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
    effect: 'read',
    answer: TextTail,
    tail: 256 * 1024,
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.24',
    forgejo: { since: '16' },
  }),
} as const;
