import { z } from 'zod';
import type { Ground } from './ground.js';
import { createLater } from './later.js';

/** A runner that was taken out of service: its person learns when it is idle, and it comes back at a time. */
const Drain = z.object({
  runner: z.int(),
  person: z.object({ team: z.string(), user: z.string() }),
  /** They want to know when its jobs are done, and have not been told. */
  tell: z.boolean(),
  /** When it is enabled again. */
  enableAt: z.int().optional(),
  since: z.int(),
});
export type Drain = z.infer<typeof Drain>;

export const createDrains = (ground: Ground) =>
  createLater(ground, { word: 'drain', schema: Drain, keys: [ground.keys.drains(), ground.keys.drainsDue()] });
