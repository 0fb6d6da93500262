import { z } from 'zod';
import { runnerSieves, runSieves } from '../filters.js';
import { hookBody, hookNote, hookQuery } from '../forgejo/hook.js';
import { operation } from '../operation.js';
import { Cron } from '../schemas/cron.js';
import { Email } from '../schemas/email.js';
import { Hook } from '../schemas/hook.js';
import { WorkflowJob } from '../schemas/job.js';
import { WorkflowRun } from '../schemas/run.js';
import { RegisteredRunner, RegistrationToken, Runner } from '../schemas/runner.js';
import { CreateHook } from './hook.js';
import { Name, Paging, paging } from './input.js';
import { JobQuery, RunQuery } from './runs.js';

export const admin = {
  listJobs: operation({
    route: 'GET /admin/actions/jobs',
    scope: ['admin'],
    effect: 'read',
    query: JobQuery,
    list: { item: WorkflowJob, in: 'jobs' },
    failures: ['invalid', 'forbidden', 'notFound'],
    since: '1.25',
    forgejo: { since: 'none' },
  }),
  listRunners: operation({
    route: 'GET /admin/actions/runners',
    scope: ['admin'],
    effect: 'read',
    query: z.strictObject({ disabled: z.boolean().optional(), ...paging }),
    list: { item: Runner, in: 'runners' },
    failures: ['invalid', 'forbidden', 'notFound'],
    since: '1.24',
    forgejo: { since: '15', ignores: ['disabled'] },
    sieves: runnerSieves,
  }),
  /** Returns the current token until it is used or renewed. */
  createRegistrationToken: operation({
    route: 'POST /admin/actions/runners/registration-token',
    scope: ['admin'],
    effect: 'idempotent',
    answer: RegistrationToken,
    failures: ['forbidden'],
    since: '1.24',
    forgejo: {
      routes: ['GET /admin/actions/runners/registration-token', 'GET /admin/runners/registration-token'],
    },
  }),
  /** Meant to replace registration tokens: one answer has everything a runner needs. */
  createRunner: operation({
    route: 'POST /admin/actions/runners',
    scope: ['admin'],
    effect: 'once',
    body: z.strictObject({ name: Name, description: z.string().optional(), ephemeral: z.boolean().optional() }),
    answer: RegisteredRunner,
    failures: ['invalid', 'forbidden'],
    beyond: true,
    since: 'none',
    forgejo: { since: '15' },
  }),
  getRunner: operation({
    route: 'GET /admin/actions/runners/{runner_id}',
    scope: ['admin'],
    effect: 'read',
    answer: Runner,
    failures: ['invalid', 'forbidden', 'notFound'],
    since: '1.24',
    forgejo: { since: '15' },
  }),
  deleteRunner: operation({
    route: 'DELETE /admin/actions/runners/{runner_id}',
    scope: ['admin'],
    effect: 'idempotent',
    failures: ['invalid', 'forbidden', 'notFound'],
    since: '1.24',
    forgejo: { since: '15' },
  }),
  editRunner: operation({
    route: 'PATCH /admin/actions/runners/{runner_id}',
    scope: ['admin'],
    effect: 'idempotent',
    body: z.strictObject({ disabled: z.boolean() }),
    answer: Runner,
    failures: ['invalid', 'forbidden', 'notFound'],
    since: '1.26',
    forgejo: { since: 'none' },
  }),
  listRuns: operation({
    route: 'GET /admin/actions/runs',
    scope: ['admin'],
    effect: 'read',
    query: RunQuery,
    list: { item: WorkflowRun, in: 'workflow_runs' },
    failures: ['invalid', 'forbidden', 'notFound', 'rejected'],
    since: '1.25',
    forgejo: { since: 'none' },
    sieves: runSieves,
    ignores: ['run_number'],
  }),
  listCron: operation({
    route: 'GET /admin/cron',
    scope: ['admin'],
    effect: 'read',
    query: Paging,
    list: { item: Cron },
    failures: ['forbidden'],
  }),
  runCron: operation({
    route: 'POST /admin/cron/{task}',
    scope: ['admin'],
    effect: 'once',
    failures: ['forbidden', 'notFound'],
  }),
  listEmails: operation({
    route: 'GET /admin/emails',
    scope: ['admin'],
    effect: 'read',
    query: Paging,
    list: { item: Email },
    failures: ['forbidden'],
    since: '1.20',
  }),
  searchEmails: operation({
    route: 'GET /admin/emails/search',
    scope: ['admin'],
    effect: 'read',
    query: z.strictObject({ q: z.string().optional(), ...paging }),
    list: { item: Email },
    failures: ['forbidden'],
    since: '1.20',
  }),
  listHooks: operation({
    route: 'GET /admin/hooks',
    scope: ['admin'],
    effect: 'read',
    query: z.strictObject({ type: z.enum(['system', 'default', 'all']).optional(), ...paging }),
    list: { item: Hook },
    failures: ['forbidden'],
    since: '1.19',
    forgejo: { query: hookQuery, note: hookNote },
  }),
  createHook: operation({
    route: 'POST /admin/hooks',
    scope: ['admin'],
    effect: 'once',
    body: CreateHook,
    answer: Hook,
    failures: ['invalid', 'forbidden'],
    since: '1.19',
    forgejo: {},
    send: hookBody,
    secrets: ['config.secret', 'authorization_header'],
  }),
} as const;
