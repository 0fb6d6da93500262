import { z } from 'zod';
import { ActJob } from '../chat/act-job.js';
import type { Store } from '../store/index.js';

/** Accepted work as stored in Redis. The person is outside the seal for operators; only the sealed part counts. */
const SealedJob = z.object({
  v: z.literal(2),
  person: z.object({ team: z.string().min(1).max(64), user: z.string().min(1).max(64) }),
  /** Removed when it is done: the job is kept only for its id. */
  sealed: z.string().optional(),
});
type SealedJob = z.infer<typeof SealedJob>;

type Person = SealedJob['person'];

/** As long as finished ids are kept: an older job may have been done and forgotten. */
const oldestMs = 24 * 60 * 60 * 1000;

export type Opened =
  | { readonly job: ActJob }
  | { readonly over: true }
  | { readonly refused: string; readonly person?: Person };

const about = (store: Store, id: string, { team, user }: Person) => ['job', store.forgeId, id, team, user] as const;

export const sealJob = (store: Store, job: ActJob, id: string): SealedJob => ({
  v: 2,
  person: job.person,
  sealed: store.seal.seal(JSON.stringify(job), about(store, id, job.person)),
});

/** The work accepted under this id for this person within the last day; anything else is refused. */
export function openJob(store: Store, data: unknown, id: string, now: number): Opened {
  const read = SealedJob.safeParse(data);
  if (!read.success) return { refused: 'a job that Bellows did not seal', ...readClaim(data) };
  const { person, sealed } = read.data;
  if (sealed === undefined) return { over: true };
  const text = store.seal.tryOpen(sealed, about(store, id, person));
  if (text === undefined) return { refused: 'a job that was changed or copied, or whose key is missing', person };
  const job = ActJob.safeParse(JSON.parse(text));
  if (!job.success) return { refused: 'a job of another version of Bellows', person };
  if (now - job.data.acceptedAt > oldestMs) return { refused: 'a job that is more than a day old', person };
  return { job: job.data };
}

/** Jobs of versions before 2 have it too. */
function readClaim(data: unknown): { person?: Person } {
  const read = SealedJob.pick({ person: true }).safeParse(data);
  return read.success ? { person: read.data.person } : {};
}
