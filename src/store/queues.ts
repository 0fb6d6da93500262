import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Ground, json, script } from './ground.js';
import { claimDue, swapRow } from './later.js';
import { type About, unopenable, unseal } from './seal.js';

const Someone = z.object({ team: z.string(), user: z.string(), login: z.string().nullable() });

/** Where an entry is; written before what it names is done, so that a crash continues there. */
const Step = z.discriminatedUnion('at', [
  z.object({ at: z.literal('waiting') }),
  /** `answered`: the forge said that it did it. `asOf`: on the forge's clock, not after the request. `isFree`: its base wants no approvals. */
  z.object({
    at: z.literal('updating'),
    since: z.int(),
    base: z.string(),
    style: z.enum(['merge', 'rebase']),
    asOf: z.int(),
    answered: z.boolean(),
    isFree: z.boolean().default(false),
    looked: z.int().optional(),
  }),
  /** The queue's own update cost it these people's approvals: the others go on, and it waits until then. */
  z.object({
    at: z.literal('unapproved'),
    until: z.int(),
    /** When its reviews are read next. */
    look: z.int(),
    wanted: z.int(),
    reviewers: z.array(z.string()),
  }),
  /** What the queue's batch holds is merged by git and pushed. */
  z.object({ at: z.literal('building'), since: z.int() }),
  /** `green`: the checks that had passed when last looked, and since when they are the same. `looked`: when the pull request was last read. `isLacking`: a check that its base requires had not been reported. */
  z.object({
    at: z.literal('testing'),
    since: z.int(),
    base: z.string(),
    looked: z.int().optional(),
    green: z.object({ seen: z.string(), since: z.int() }).optional(),
    isLacking: z.literal(true).optional(),
    waitsFor: z.string().optional(),
  }),
  /** `released`: its head may show the queue's status as passed. `seen`: the checks that had passed before. `looked`: when all that counts was read. */
  z.object({
    at: z.literal('merging'),
    since: z.int(),
    base: z.string(),
    seen: z.string().optional(),
    looked: z.int().optional(),
    released: z.literal(true).optional(),
  }),
  /** Everyone it concerns is told, each once. */
  z.object({
    at: z.literal('over'),
    outcome: z.enum(['merged', 'red', 'out', 'other']),
    detail: z.string(),
    message: json,
    /** For those who approved it. */
    others: z.string().optional(),
    /** The pull request's author, if it is someone else who should know. */
    author: z.string().optional(),
  }),
]);
export type QueueStep = z.infer<typeof Step>;

const Entry = z.object({
  /** A pull request that is queued again is another entry. */
  key: z.string(),
  index: z.int(),
  title: z.string(),
  /** The commit that was asked for, or the queue's own update of it. */
  head: z.string(),
  by: Someone.extend({ forgeUserId: z.int() }),
  agent: z.object({ id: z.string(), name: z.string() }).optional(),
  approval: z.object({ id: z.string(), approvers: z.array(Someone) }).optional(),
  style: z.string(),
  deleteBranch: z.boolean(),
  commitTitle: z.string().optional(),
  commitMessage: z.string().optional(),
  since: z.int(),
  /** Why it was put before the others. */
  first: z.string().optional(),
  isFork: z.boolean().default(true),
  /** Its head is the queue's own update. */
  isUpdated: z.literal(true).optional(),
  /** Its head shows the queue's status, because the branch requires it. */
  isShown: z.literal(true).optional(),
  /** What the thread of its card says. */
  progress: z.string().optional(),
  /** A maintainer lets this fork’s workflow files run with the repository’s secrets. */
  workflows: z.literal(true).optional(),
  /** How often the base moved while it was tested. */
  overtaken: z.int().default(0),
  reruns: z.int().default(0),
  /** What was sent for it in earlier turns, for the audit. */
  sent: z.array(z.string()).default([]),
  /** Asked for on the forge itself: taken back there, it leaves. */
  isScheduled: z.literal(true).optional(),
  step: Step,
});
export type QueueEntry = z.infer<typeof Entry>;

/** Those that are built on each other and tested once, first one first; one that has landed is no longer in it. */
const Batch = z.object({
  branch: z.string(),
  /** The base it is built on, then what the last one made of it. */
  base: z.string(),
  at: z.int(),
  members: z.array(
    z.object({
      key: z.string(),
      /** The base with those up to this one; absent until built. */
      commit: z.string().optional(),
    }),
  ),
  /** All of them, as numbers. */
  together: z.array(z.int()),
});

const Queue = z.object({
  repository: z.int(),
  owner: z.string(),
  repo: z.string(),
  /** Whose repositories may be subscribed to together. */
  ownerId: z.int().optional(),
  base: z.string(),
  entries: z.array(Entry),
  /** By nobody: the queue stopped itself. */
  paused: z.object({ by: Someone.optional(), at: z.int(), until: z.int().optional(), reason: z.string() }).optional(),
  /** Only the queue merges into it: who set that up, and what was read of its pull requests with their account. */
  required: z
    .object({
      by: Someone.extend({ forgeUserId: z.int() }),
      look: z.int(),
      /** On the forge's clock. */
      since: z.int(),
      /** What the queue last made of the branch. */
      tip: z.string().optional(),
    })
    .optional(),
  /** Asked for on the forge itself by people who are not linked. */
  asked: z.array(z.object({ index: z.int(), title: z.string(), login: z.string() })).default([]),
  /** The last that left, newest first. */
  recent: z.array(z.object({ index: z.int(), outcome: z.string(), tookMs: z.int(), at: z.int() })).default([]),
  /** What it merged last, and what the branch was then. */
  last: z.object({ index: z.int(), commit: z.string() }).optional(),
  batch: Batch.optional(),
  /** Failed together on this base as this commit: one of them is at fault. */
  suspects: z.object({ keys: z.array(z.string()), base: z.string(), commit: z.string() }).optional(),
  /** Branches that were pushed, written down before, until they are deleted. */
  branches: z.array(z.object({ name: z.string(), by: Someone.extend({ forgeUserId: z.int() }) })).default([]),
  /** The worker whose turn it is. */
  turn: z.string().optional(),
  /** What its card shows. */
  shown: z.string().optional(),
});
export type Queue = z.infer<typeof Queue>;

/** How long an empty queue remembers its last ones. */
const emptyMs = 7 * 86_400_000;
/** The longest between two looks at a queue: one that is due later is being worked on, or empty. */
export const longestRestMs = 30_000;

const isIdle = ({ entries, branches, required }: Queue) =>
  entries.length === 0 && branches.length === 0 && required === undefined;

type Id = Pick<Queue, 'repository' | 'base'>;
const idOf = ({ repository, base }: Id): string => `${repository} ${base}`;

/** One queue per repository, by its id, and base branch. Sealed: its entries say as whom the forge is asked. */
export function createQueues({ redis, forge, keys, seal, now, alarm }: Ground) {
  const both = [keys.queues(), keys.queuesDue()];
  const about = (id: string): About => ['queue', forge, id];

  function open(id: string, text: string): Queue | undefined {
    const value = unseal(seal, text, about(id));
    if (value === undefined) alarm({ kind: 'queue', id, reason: unopenable });
    return Queue.safeParse(value).data;
  }

  /** Tried again while others change it; `due` is in milliseconds, or keep: as it is. */
  async function swap(
    id: string,
    change: (before: Queue | undefined) => Queue | undefined,
    due: (next: Queue, before: Queue | undefined) => number | 'keep',
  ): Promise<Queue | undefined> {
    for (;;) {
      const text = await redis.hget(keys.queues(), id);
      const before = text === null ? undefined : open(id, text);
      const next = change(before);
      if (next === undefined) return undefined;
      const when = due(next, before);
      const row = seal.seal(JSON.stringify(next), about(id));
      const at = when === 'keep' ? '' : now() + when;
      if ((await swapRow(redis, both, [id, text ?? '', row, at])) === 1) return next;
    }
  }

  const get = async (id: string): Promise<Queue | undefined> => {
    const text = await redis.hget(keys.queues(), id);
    return text === null ? undefined : open(id, text);
  };

  return {
    get: (of: Id) => get(idOf(of)),

    async list(): Promise<Queue[]> {
      const all = await redis.hgetall(keys.queues());
      return Object.entries(all).flatMap(([id, text]) => open(id, text) ?? []);
    },

    /** By a person. `change` may throw; undefined: it stays as it is. One that rests is worked on now. */
    change: (of: Id, change: (before: Queue | undefined) => Queue | undefined) =>
      swap(idOf(of), change, (next, before) =>
        !before || before.entries.every(({ step }) => step.at === 'unapproved') || (before.paused && !next.paused)
          ? 0
          : 'keep',
      ),

    /** Those to work on now, each for one caller for `holdMs`. */
    async due(holdMs: number, limit = 20): Promise<{ readonly id: Id; readonly turn: string }[]> {
      const ids = await claimDue(redis, keys.queuesDue(), { now: now(), until: now() + holdMs, limit });
      const found = await Promise.all(
        ids.map(async (id) => {
          const text = (await redis.hget(keys.queues(), id)) ?? '';
          const queue = text === '' ? undefined : open(id, text);
          if (!queue || (isIdle(queue) && !queue.paused)) {
            await swapRow(redis, both, [id, text, '', '']);
            return [];
          }
          const turn = randomUUID();
          const taken = await swap(
            id,
            (before) => before && { ...before, turn },
            () => holdMs,
          );
          return taken ? [{ id: { repository: taken.repository, base: taken.base }, turn }] : [];
        }),
      );
      return found.flat();
    },

    /** Something happened in this repository: queues that wait for it are looked at now. */
    async wake(repository: number): Promise<void> {
      await wakeResting(redis, [keys.queuesDue()], [`${repository} `, now(), now() + longestRestMs]);
    },

    /** By the one whose turn it is; undefined if that is someone else now, or `change` finds nothing to change. */
    step: (
      of: Id,
      turn: string,
      change: (before: Queue) => Queue | undefined,
      afterMs: number,
    ): Promise<Queue | undefined> =>
      swap(
        idOf(of),
        (before) => (before?.turn === turn ? change(before) : undefined),
        (next) => (isIdle(next) ? emptyMs : afterMs),
      ),
  };
}

/** KEYS: when each queue is due. ARGV: how the ids begin, now, until when one only waits. */
const wakeResting = script(`
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[2], ARGV[3], 'LIMIT', 0, 1000)) do
  if string.sub(id, 1, #ARGV[1]) == ARGV[1] then redis.call('ZADD', KEYS[1], ARGV[2], id) end
end
return 1`);
