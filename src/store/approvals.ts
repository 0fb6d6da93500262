import { z } from 'zod';
import type { ApprovalState, MessageRef } from './approval.js';
import {
  type Approval,
  type Ask,
  ask,
  type Decision,
  decision,
  messageRef,
  type Party,
  readApproval,
  result,
} from './approval.js';
import * as scripts from './approval-scripts.js';
import type { Ground, Person } from './ground.js';
import type { Argument, Script } from './script.js';
import { type About, unsealed } from './seal.js';

const Outcome = z.enum(['unknown', 'settled', 'expired', 'again', 'denied', 'counted', 'approved']);
/** counted: more approvals are needed. again: this person, or this forge user, has decided already. */
export type DecideOutcome = z.infer<typeof Outcome> | 'self';

const Closed = z.enum(['unknown', 'settled', 'early', 'withdrawn', 'expired']);
export type CloseOutcome = z.infer<typeof Closed>;

/** Held by who runs an approved command; a claim that was taken over can finish nothing. */
export interface Claim {
  readonly id: string;
  readonly fence: number;
}

export function createApprovals({ redis, forge, keys, seal, now }: Ground) {
  const about = (id: string): About => ['approval', forge, id];
  const keysOf = (id: string, { team, user }: Person) => [
    keys.approval({ id }),
    keys.approvalsActive(),
    keys.approvalsBy({ team, user }),
  ];
  const get = async (id: string): Promise<Approval | undefined> =>
    readApproval(await redis.hgetall(keys.approval({ id })));
  const all = async (ids: readonly string[]) => (await Promise.all(ids.map(get))).filter((each) => each !== undefined);

  /** Every step names its requester, whose index it changes; the requester never changes. */
  const step = async (id: string, run: Script, args: readonly Argument[]): Promise<unknown> => {
    const found = await get(id);
    return found ? run(redis, keysOf(id, found.requester), [id, ...args]) : undefined;
  };
  const closeOpen = async (id: string, state: ApprovalState, summary?: string): Promise<CloseOutcome> => {
    const text = summary === undefined ? '' : result.encode({ summary, at: now() });
    return Closed.parse((await step(id, scripts.closeOpen, [now(), state, text])) ?? 'unknown');
  };

  return {
    get,

    /** False if an approval of this id exists: a job that runs again asks once. */
    async create(request: Omit<Ask, 'createdAt'>, args: unknown): Promise<boolean> {
      const { id, requester, policy } = request;
      const sealed = seal.seal(JSON.stringify(args), about(id));
      const text = ask.encode({ ...request, createdAt: now() });
      const made = await scripts.create(redis, keysOf(id, requester), [id, text, sealed, policy.expiresAt, now()]);
      return made === 1;
    },

    /** The arguments as they were asked for; undefined once their key is gone. The caller validates them against the command. */
    async args(id: string): Promise<unknown> {
      const sealed = await redis.hget(keys.approval({ id }), 'args');
      return sealed === null ? undefined : unsealed(seal, sealed, about(id));
    },

    /** One click wins. Roles and the bound state are the caller's to check; that two people are two is checked here too. */
    async decide(id: string, given: Omit<Decision, 'at'>): Promise<DecideOutcome> {
      const found = await get(id);
      if (!found) return 'unknown';
      if (given.verdict === 'approve' && !found.policy.requesterCounts && samePerson(found.requester, given.by)) {
        return 'self';
      }
      const { team, user, forgeUserId } = given.by;
      const text = decision.encode({ ...given, at: now() });
      const who = [`by ${team}/${user}`, forgeUserId === null ? '' : `forge ${forgeUserId}`];
      const args = [id, now(), ...who, text, given.verdict, found.policy.needed];
      return Outcome.parse(await scripts.decide(redis, keysOf(id, found.requester), args));
    },

    /** An approval that counts no more; only while it is open. */
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

    /** Undefined unless it is approved, or a run of it was cut off. */
    async claim(id: string, holdMs: number): Promise<Claim | undefined> {
      const fence = z.number().parse((await step(id, scripts.claim, [now(), now() + holdMs])) ?? 0);
      return fence === 0 ? undefined : { id, fence };
    },
    renew: async ({ id, fence }: Claim, holdMs: number): Promise<boolean> =>
      (await step(id, scripts.renew, [fence, now() + holdMs])) === 1,
    async finish({ id, fence }: Claim, state: 'done' | 'failed' | 'unknown', summary: string): Promise<boolean> {
      const text = result.encode({ summary, at: now() });
      return (await step(id, scripts.finish, [fence, now(), state, text])) === 1;
    },

    async setMessage(id: string, message: MessageRef): Promise<void> {
      await redis.hset(keys.approval({ id }), 'message', messageRef.encode(message));
    },
    /** Card and people know this state (it is in the outbox); false if it has moved on. */
    told: async (id: string, state: ApprovalState): Promise<boolean> => (await step(id, scripts.told, [state])) === 1,

    /** What needs attention now: untold states, open ones past their time, approved ones nobody runs, runs cut off. */
    async due(limit = 100): Promise<Approval[]> {
      return all(await redis.zrangebyscore(keys.approvalsActive(), '-inf', now(), 'LIMIT', 0, limit));
    },
    /** Not settled yet, asked by this person. */
    askedBy: async (person: Person): Promise<Approval[]> => all(await redis.smembers(keys.approvalsBy(person))),
    active: async (): Promise<Approval[]> => all(await redis.zrange(keys.approvalsActive(), '0', '-1')),
  };
}

/** The same person in Slack, or the same user at the forge however they came to it. */
export const samePerson = (a: Party, b: Party): boolean =>
  (a.team === b.team && a.user === b.user) ||
  (a.forgeUserId !== null && a.forgeUserId === b.forgeUserId) ||
  (a.login !== null && a.login.toLowerCase() === b.login?.toLowerCase());
