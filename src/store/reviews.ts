import { z } from 'zod';
import type { Ground } from './ground.js';
import { createLater } from './later.js';

/** A review that one person took, by the thread of its pull request. */
const TakenReview = z.object({
  repo: z.object({ id: z.int(), ownerId: z.int(), fullName: z.string() }),
  index: z.int(),
  person: z.object({ team: z.string(), user: z.string() }),
  login: z.string(),
  at: z.int(),
  /** It is offered again then. */
  until: z.int(),
  /** The forge confirmed the request: once it is no longer open, the review is done or withdrawn. */
  requested: z.boolean(),
  /** Their review was requested before they took it, so handing it back leaves that request. */
  asked: z.boolean(),
});
export type TakenReview = z.infer<typeof TakenReview>;

export const createReviews = (ground: Ground) =>
  createLater(ground, { word: 'review', schema: TakenReview, keys: [ground.keys.reviews(), ground.keys.reviewsDue()] });
