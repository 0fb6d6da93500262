import { z } from 'zod';
import { versioned } from './value.js';

const Who = z.object({ team: z.string(), user: z.string(), login: z.string().nullable() });

const states = ['starting', 'running', 'succeeded', 'failed', 'canceled', 'unknown'] as const;
const State = z.enum(states);
const Deployment = z.object({
  id: z.string(),
  environment: z.string(),
  repository: z.object({ owner: z.string(), repo: z.string() }),
  workflow: z.string(),
  /** In full, as it was dispatched. */
  ref: z.string(),
  /** What was approved. */
  sha: z.string(),
  /** What was there before; null where nobody knows. */
  from: z.string().nullable(),
  by: Who,
  approvers: z.array(Who),
  /** Of a deployment that nobody had to approve although someone should have. */
  breakGlass: z.string().nullable(),
  channel: z.string(),
  /** The approval whose card follows it; null: it has a card of its own. */
  approval: z.string().nullable(),
  run: z.int().nullable(),
  /** Of the run: a rerun of failed jobs goes on with the same deployment. */
  attempt: z.int().default(1),
  url: z.string(),
  /** The commit that really runs, where it is another one. */
  otherCommit: z.string().nullable(),
  /** The ref that brings back what was there before; null where none does. */
  rollback: z.string().nullable(),
  state: State,
  startedAt: z.int(),
  endedAt: z.int().nullable(),
});
export type Deployment = z.infer<typeof Deployment>;
export const deployment = versioned(Deployment);

const Freeze = z.object({ by: Who, at: z.int(), until: z.int(), reason: z.string().optional() });
export type Freeze = z.infer<typeof Freeze>;
export const freeze = versioned(Freeze);

export const isOver = ({ state }: Pick<Deployment, 'state'>): boolean => state !== 'starting' && state !== 'running';
