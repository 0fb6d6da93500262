import { z } from 'zod';

/** How to poll a source; names change at the forge, ids do not. */
export const SourceAbout = z.object({
  owner: z.string(),
  name: z.string().exactOptional(),
  ownerId: z.int().exactOptional(),
  hidden: z.boolean().exactOptional(),
  /** It was public once, so its name is no secret. */
  wasOpen: z.boolean().exactOptional(),
  /** Since when neither the bot nor an owner can find it. */
  missingSince: z.int().exactOptional(),
  defaultBranch: z.string().exactOptional(),
  url: z.string().exactOptional(),
  /** Labels wanted by filters on this owner. */
  labels: z.array(z.string()).exactOptional(),
  readAt: z.int().exactOptional(),
  /** Someone wants to know about stuck runs. */
  stuck: z.boolean().exactOptional(),
  /** For an owner: when a repository was added, removed or renamed; an earlier list is outdated. */
  changedAt: z.int().exactOptional(),
  /** For a repository: its owner's feed is polled for many and shows activity here. For an owner: it covers many. */
  together: z.literal(true).exactOptional(),
});
export type SourceAbout = z.infer<typeof SourceAbout>;
