import { z } from 'zod';
import type { ApprovalState, Result } from './approval.js';
import {
  type Approval,
  type Ask,
  ask,
  type Decision,
  decision,
  type Part,
  type Party,
  readApproval,
  result,
} from './approval.js';
import * as scripts from './approval-scripts.js';
import { checked, vouched } from './authentic.js';
import type { Ground, Person } from './ground.js';
import type { Argument, Script } from './script.js';
import { type About, unsealed } from './seal.js';

const Outcome = z.enum(['unknown', 'closed', 'expired', 'again', 'denied', 'counted', 'approved']);
/** counted: more approvals needed. again: this person or forge user already decided. unconfirmed: unknown to the forge. */
export type DecideOutcome = z.infer<typeof Outcome> | 'self' | 'unconfirmed';

const Closed = z.enum(['unknown', 'closed', 'early', 'withdrawn', 'expired']);
export type CloseOutcome = z.infer<typeof Closed>;

/** Held while running an approved command; a claim that was taken over can finish nothing. */
export interface Claim {
  readonly id: string;
  readonly fence: number;
}

export function createApprovals({ redis, forge, keys, seal, now, alarm }: Ground) {
  const about = (id: string): About => ['approval', forge, id];
  const keysOf = (id: string, { team, user }: Person) => [
    keys.approval({ id }),
    keys.approvalsActive(),
    keys.approvalsBy({ team, user }),
  ];
  const partAbout = (id: string, part: Part): About =>
    typeof part === 'string' ? [part, forge, id] : ['vote', forge, id, part.voter];

  /** A record that someone else wrote or changed is neither an approval nor a vote. */
  const get = async (id: string): Promise<Approval | undefined> => {
    const fields = await redis.hgetall(keys.approval({ id }));
    if (fields['state'] === undefined && fields['ask'] === undefined) return undefined;
    return readApproval(fields, (stored, part) => {
      const text = checked(seal, stored, partAbout(id, part));
      const reason = 'changed, copied or made by someone else, or its key is missing';
      if (text === undefined && typeof part === 'string') alarm({ kind: 'approval', id, reason });
      if (text === undefined && typeof part !== 'string') alarm({ kind: 'vote', id: `${id} ${part.voter}`, reason });
      return text;
    });
  };
  const all = async (ids: readonly string[]) => (await Promise.all(ids.map(get))).filter((each) => each !== undefined);

  /** Every step names the requester, whose index it changes; the requester never changes. */
  const step = async (id: string, run: Script, args: readonly Argument[]): Promise<unknown> => {
    const found = await get(id);
    return found ? run(redis, keysOf(id, found.requester), [id, ...args]) : undefined;
  };
  const resultText = (id: string, given: Omit<Result, 'at'>) =>
    vouched(seal, result.encode({ ...given, at: now() }), partAbout(id, 'result'));
  const closeOpen = async (id: string, state: ApprovalState, summary?: string): Promise<CloseOutcome> => {
    const text = summary === undefined ? '' : resultText(id, { summary });
    return Closed.parse((await step(id, scripts.closeOpen, [now(), state, text])) ?? 'unknown');
  };

  return {
    get,

    /** False if an approval with this id exists: a job that runs again asks once. */
    async create(request: Omit<Ask, 'createdAt'>, args: unknown): Promise<boolean> {
      const { id, requester, policy } = request;
      const sealed = seal.seal(JSON.stringify(args), about(id));
      const text = vouched(seal, ask.encode({ ...request, createdAt: now() }), partAbout(id, 'ask'));
      const made = await scripts.create(redis, keysOf(id, requester), [id, text, sealed, policy.expiresAt, now()]);
      return made === 1;
    },

    /** The arguments as requested; undefined once their key is gone. The caller validates them against the command. */
    async args(id: string): Promise<unknown> {
      const sealed = await redis.hget(keys.approval({ id }), 'args');
      return sealed === null ? undefined : unsealed(seal, sealed, about(id));
    },

    /** One click wins. The caller checks roles and the bound state; that two people are different is checked here too. */
    async decide(id: string, given: Omit<Decision, 'at'>): Promise<DecideOutcome> {
      const found = await get(id);
      if (!found) return 'unknown';
      if (given.verdict === 'approve' && !found.policy.requesterCounts && samePerson(found.requester, given.by)) {
        return 'self';
      }
      const { team, user, forgeUserId } = given.by;
      if (given.verdict === 'approve' && forgeUserId === null) return 'unconfirmed';
      if (now() >= found.policy.expiresAt) return found.state === 'open' ? 'expired' : 'closed';
      const text = vouched(seal, decision.encode({ ...given, at: now() }), partAbout(id, { voter: `${team}/${user}` }));
      const who = [`by ${team}/${user}`, forgeUserId === null ? '' : `forge ${forgeUserId}`];
      const args = [id, now(), ...who, text, given.verdict, found.policy.needed];
      return Outcome.parse(await scripts.decide(redis, keysOf(id, found.requester), args));
    },

    /** Removes an approval that no longer counts; only while it is open. */
    unvote: async (id: string, { team, user, forgeUserId }: Party): Promise<boolean> =>
      (await step(id, scripts.unvote, [`by ${team}/${user}`, forgeUserId === null ? '' : `forge ${forgeUserId}`])) ===
      1,

    async withdraw(id: string, by: Person): Promise<CloseOutcome | 'not-yours'> {
      const found = await get(id);
      if (found && (found.requester.team !== by.team || found.requester.user !== by.user)) return 'not-yours';
      return closeOpen(id, 'withdrawn');
    },
    /** Withdrawn by Bellows itself, with the reason for the card. */
    cancel: (id: string, reason: string) => closeOpen(id, 'withdrawn', reason),
    expire: (id: string) => closeOpen(id, 'expired'),

    /** Undefined unless it is approved, or a run of it was interrupted. */
    async claim(id: string, holdMs: number): Promise<Claim | undefined> {
      const fence = z.number().parse((await step(id, scripts.claim, [now(), now() + holdMs])) ?? 0);
      return fence === 0 ? undefined : { id, fence };
    },
    renew: async ({ id, fence }: Claim, holdMs: number): Promise<boolean> =>
      (await step(id, scripts.renew, [fence, now() + holdMs])) === 1,
    async finish(
      { id, fence }: Claim,
      state: 'done' | 'failed' | 'unknown',
      given: Omit<Result, 'at'>,
    ): Promise<boolean> {
      const text = resultText(id, given);
      return (await step(id, scripts.finish, [fence, now(), state, text])) === 1;
    },

    /** Card and people know this state (it is in the outbox); false if it has changed since. */
    announced: async (id: string, state: ApprovalState): Promise<boolean> =>
      (await step(id, scripts.announced, [state])) === 1,

    /** What needs attention now: unannounced states, expired ones, approved ones nobody runs, interrupted runs. */
    async due(limit = 100): Promise<Approval[]> {
      const ids = await redis.zrangebyscore(keys.approvalsActive(), '-inf', now(), 'LIMIT', 0, limit);
      const found = await all(ids);
      const real = new Set(found.map(({ id }) => id));
      const others = ids.filter((id) => !real.has(id));
      // ids without an approval would block the others forever
      if (others.length > 0) await redis.zrem(keys.approvalsActive(), ...others);
      return found;
    },
    /** Requested by this person and not decided yet. */
    askedBy: async (person: Person): Promise<Approval[]> => all(await redis.smembers(keys.approvalsBy(person))),
    active: async (): Promise<Approval[]> => all(await redis.zrange(keys.approvalsActive(), '0', '-1')),
  };
}

/** The same person in Slack, or the same forge user; the login counts only if the forge gave no id. */
export function samePerson(a: Party, b: Party): boolean {
  if (a.team === b.team && a.user === b.user) return true;
  if (a.forgeUserId !== null && b.forgeUserId !== null) return a.forgeUserId === b.forgeUserId;
  return a.login !== null && a.login.toLowerCase() === b.login?.toLowerCase();
}
