import { z } from 'zod';
import type { Ground } from './ground.js';
import { createLater } from './later.js';

const Someone = z.object({
  team: z.string(),
  user: z.string(),
  login: z.string().nullable(),
});

/** A pull request that is merged once the checks of exactly this head have passed. */
const MergeWait = z.object({
  repository: z.int(),
  owner: z.string(),
  repo: z.string(),
  index: z.int(),
  head: z.string(),
  base: z.string(),
  by: Someone.extend({ forgeUserId: z.int() }),
  agent: z.object({ id: z.string(), name: z.string() }).optional(),
  approval: z.object({ id: z.string(), approvers: z.array(Someone) }).optional(),
  style: z.string(),
  deleteBranch: z.boolean(),
  title: z.string().optional(),
  message: z.string().optional(),
  /** Reviews that requested changes when it was asked for: only a new one ends it. */
  objections: z.array(z.int()),
  since: z.int(),
  /** The checks that were green when last looked, and since when they are the same. */
  green: z.object({ seen: z.string(), since: z.int() }).optional(),
});
export type MergeWait = z.infer<typeof MergeWait>;

export const createMergeWaits = (ground: Ground) =>
  createLater(ground, {
    word: 'merge',
    schema: MergeWait,
    keys: [ground.keys.mergeWaits(), ground.keys.mergeWaitsDue()],
  });
