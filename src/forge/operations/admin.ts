import { z } from 'zod';
import { runFilters, runnerFilters } from '../filters.js';
import { hookBody, hookNote, hookQuery } from '../forgejo.js';
import { operation } from '../operation.js';
import {
  Cron,
  Email,
  Hook,
  RegisteredRunner,
  RegistrationToken,
  Runner,
  WorkflowJob,
  WorkflowRun,
} from '../schemas.js';
import { Name, Paging, paging } from './input.js';
import { JobQuery, RunQuery } from './runs.js';

const HookType = z.enum([
  'gitea',
  'gogs',
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'wechatwork',
  'packagist',
  'matrix',
]);

/** Without `is_system_webhook: 'true'` the server creates a default hook, copied into new repositories. */
const HookConfig = z
  .object({
    url: z.string().regex(/^https?:\/\//, 'write an address that starts with http:// or https://'),
    content_type: z.enum(['json', 'form']),
    secret: z.string().optional(),
    is_system_webhook: z.enum(['true', 'false']).optional(),
  })
  .catchall(z.string());

const CreateHook = z
  .strictObject({
    type: HookType,
    config: HookConfig,
    events: z.array(Name).optional(),
    branch_filter: z.string().optional(),
    authorization_header: z.string().optional(),
    /** The server's default is false: a hook that never fires. */
    active: z.boolean().optional(),
    name: z.string().max(255).optional(),
  })
  .refine((hook) => hook.type !== 'slack' || hook.config['channel'], {
    path: ['config', 'channel'],
    error: 'a slack hook needs its channel',
  });

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
    rowFilters: runnerFilters,
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
    rowFilters: runFilters,
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
    secrets: ['config.url/', 'config.secret', 'authorization_header'],
  }),
} as const;
