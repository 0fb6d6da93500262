import { z } from 'zod';

/** How to ask for a source; names change at the forge, ids do not. */
export const SourceAbout = z.object({
  owner: z.string(),
  name: z.string().exactOptional(),
  ownerId: z.int().exactOptional(),
  hidden: z.boolean().exactOptional(),
  /** Everyone could see it once, so its name is no secret. */
  wasOpen: z.boolean().exactOptional(),
  /** Since when neither the bot nor an owner finds it. */
  missingSince: z.int().exactOptional(),
  defaultBranch: z.string().exactOptional(),
  url: z.string().exactOptional(),
  /** Wanted by the filters that follow this owner. */
  labels: z.array(z.string()).exactOptional(),
  readAt: z.int().exactOptional(),
  /** Someone wants to know of runs that look stuck. */
  stuck: z.boolean().exactOptional(),
  /** Of an owner: when a repository came, went or was renamed; a list from before is out of date. */
  changedAt: z.int().exactOptional(),
  /** Of a repository: its owner's feed is polled for many and tells when this one moves. Of an owner: it tells for many. */
  together: z.literal(true).exactOptional(),
});
export type SourceAbout = z.infer<typeof SourceAbout>;
