import { z } from 'zod';
import type { Ground } from './ground.js';
import { createLater } from './later.js';

/** A disabled runner: its person is notified when it is idle, and it may be enabled again at a set time. */
const Drain = z.object({
  runner: z.int(),
  person: z.object({ team: z.string(), user: z.string() }),
  /** They want to know when its jobs are done, and have not been notified. */
  tell: z.boolean(),
  /** When to enable it again. */
  enableAt: z.int().optional(),
  since: z.int(),
  /** An earlier version did not keep it. */
  name: z.string().optional(),
  /** Since when the forge does not let its person see it. */
  refusedSince: z.int().optional(),
});
export type Drain = z.infer<typeof Drain>;

export const createDrains = (ground: Ground) =>
  createLater(ground, { word: 'drain', schema: Drain, keys: [ground.keys.drains(), ground.keys.drainsDue()] });
