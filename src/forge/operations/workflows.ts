import { z } from 'zod';
import { operation } from '../operation.js';
import { Dispatched, Workflow } from '../schemas.js';
import { Name } from './input.js';

/** `workflow_id` is the file name, such as ci.yml. */
export const workflows = {
  list: operation({
    route: 'GET /repos/{owner}/{repo}/actions/workflows',
    effect: 'read',
    list: { item: Workflow, in: 'workflows' },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.24',
    forgejo: { since: 'none' },
  }),
  enable: operation({
    route: 'PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable',
    effect: 'idempotent',
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.24',
    forgejo: { since: 'none' },
  }),
  disable: operation({
    route: 'PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable',
    effect: 'idempotent',
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.24',
    forgejo: { since: 'none' },
  }),
  /** A plain name is a branch; a tag is written in full, `refs/tags/v1.8`. */
  dispatch: operation({
    route: 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
    effect: 'once',
    query: z.strictObject({ return_run_details: z.boolean().optional() }),
    body: z.strictObject({ ref: Name, inputs: z.record(z.string(), z.string()).optional() }),
    answer: Dispatched,
    failures: ['forbidden', 'notFound', 'invalid', 'rejected'],
    beyond: true,
    since: '1.24',
    forgejo: { since: '7', query: () => ({}) },
    send: (body, product) => (product === 'Forgejo' ? { ...body, return_run_info: true } : body),
  }),
} as const;
