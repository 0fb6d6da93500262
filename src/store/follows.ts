import { z } from 'zod';
import type { Ground } from './ground.js';
import { createLater } from './later.js';

/** A run whose progress is shown to the person who started it. */
const Follow = z.object({
  owner: z.string(),
  repo: z.string(),
  run: z.int(),
  person: z.object({ team: z.string(), user: z.string() }),
  /** Its state when it was last shown. */
  shown: z.string().optional(),
  since: z.int(),
});
export type Follow = z.infer<typeof Follow>;

export const createFollows = (ground: Ground) =>
  createLater(ground, {
    word: 'follow',
    schema: Follow,
    keys: [ground.keys.follows(), ground.keys.followsDue()],
  });
