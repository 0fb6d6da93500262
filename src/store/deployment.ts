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
  /** In full, as dispatched. */
  ref: z.string(),
  /** The approved commit. */
  sha: z.string(),
  /** The previous commit; null if unknown. */
  from: z.string().nullable(),
  by: Who,
  approvers: z.array(Who),
  /** For a deployment without the approval it should have had. */
  breakGlass: z.string().nullable(),
  channel: z.string(),
  /** The approval whose card shows it; null: it has its own card. */
  approval: z.string().nullable(),
  run: z.int().nullable(),
  /** The run's number on the forge's pages, once known. */
  number: z.int().optional(),
  /** Of the run: rerunning failed jobs continues the same deployment. */
  attempt: z.int().default(1),
  url: z.string(),
  /** The commit that actually runs, if it is a different one. */
  otherCommit: z.string().nullable(),
  /** What became of the run on that commit, which nobody approved; unable: this server cannot. */
  stop: z.object({ how: z.enum(['canceled', 'forced', 'failed', 'unable']), at: z.int() }).optional(),
  /** The ref of the previous version, for a rollback; null if there is none. */
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

/** What the run deployed, approved or not. */
export const ranCommit = ({ otherCommit, sha }: Pick<Deployment, 'otherCommit' | 'sha'>): string => otherCommit ?? sha;

export const isOver = ({ state }: Pick<Deployment, 'state'>): boolean => state !== 'starting' && state !== 'running';
