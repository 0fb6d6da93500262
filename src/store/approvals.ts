import { z } from 'zod';
import { checkSignature, signText } from './authentic.js';
import { type Argument, type Ground, type Person, type Script, script, texts, versionedCodec } from './ground.js';
import { type About, unseal } from './seal.js';

const approvalStates = [
  'open',
  'approved',
  'denied',
  'withdrawn',
  'expired',
  'running',
  'done',
  'failed',
  'unknown',
] as const;
const State = z.enum(approvalStates);
export type ApprovalState = z.infer<typeof State>;

/** A person in an approval: in Slack and at the forge. */
const Party = z.object({
  team: z.string(),
  user: z.string(),
  login: z.string().nullable(),
  forgeUserId: z.int().nullable(),
});
export type Party = z.infer<typeof Party>;

const Policy = z.object({
  needed: z.int().positive(),
  roles: texts,
  users: texts,
  groups: texts,
  /** Forge teams, `org/team`. */
  teams: texts.default([]),
  requesterCounts: z.boolean(),
  authorsCount: z.boolean().default(true),
  expiresAt: z.int(),
});

/** What was requested and shown; never changes afterwards. */
const Ask = z.object({
  id: z.string(),
  command: z.string(),
  /** Fingerprint of the command's fields; an approval is refused if its command changed shape. */
  shape: z.string(),
  requester: Party,
  /** The requester's agent, if it asked. */
  agent: z.object({ id: z.string(), name: z.string() }).optional(),
  /** Where it was requested; commands that act on a channel act on this one. */
  channel: z.string().nullable(),
  policy: Policy,
  /** What must not change until the deciding click. */
  bound: z.json(),
  /** Forge user ids of its authors, as far as the forge says. */
  authors: z.array(z.int()).default([]),
  /** What the reader saw with it. */
  shown: z.json(),
  createdAt: z.int(),
});
type Ask = z.infer<typeof Ask>;

const Decision = z.object({
  by: Party,
  verdict: z.enum(['approve', 'deny']),
  at: z.int(),
  note: z.string().optional(),
});
type Decision = z.infer<typeof Decision>;

/** refused: approved, but no longer right to send. */
const Result = z.object({ summary: z.string(), at: z.int(), refused: z.boolean().optional() });
type Result = z.infer<typeof Result>;

export interface Approval extends Ask {
  readonly state: ApprovalState;
  readonly decisions: readonly Decision[];
  readonly result?: Result;
  /** The last announced state. */
  readonly announced?: ApprovalState;
  /** How often it was claimed to run; more than once means that a run was interrupted. */
  readonly runs: number;
}

const ask = versionedCodec(Ask);
const decision = versionedCodec(Decision);
const result = versionedCodec(Result);

/** Signed separately: the request, its result, and each person's vote. */
type Part = 'ask' | 'result' | { readonly voter: string };

/** Returns the text if Bellows wrote it. */
type Check = (stored: string, part: Part) => string | undefined;

const voteField = 'by ';

/** Reads the hash from Redis; only what passes the check counts. */
function readApproval(fields: Readonly<Record<string, string>>, check: Check): Approval | undefined {
  const asked = check(fields['ask'] ?? '', 'ask');
  if (asked === undefined) return undefined;
  const decisions = Object.entries(fields)
    .filter(([name]) => name.startsWith(voteField))
    .flatMap(([name, stored]) => check(stored, { voter: name.slice(voteField.length) }) ?? [])
    .map((text) => decision.decode(text));
  const came = fields['result'] ? check(fields['result'], 'result') : undefined;
  return {
    ...ask.decode(asked),
    state: State.parse(fields['state']),
    decisions: decisions.sort((a, b) => a.at - b.at),
    runs: Number(fields['fence'] ?? 0),
    ...(came === undefined ? {} : { result: result.decode(came) }),
    ...(fields['told'] ? { announced: State.parse(fields['told']) } : {}),
  };
}

// KEYS of each: the approval, the active ones by when they need attention, the requester's own. ARGV[1]: the id.

/** The sweep sees it at once until `announced` says that the card is in the outbox. */
const createScript = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'ask', ARGV[2], 'args', ARGV[3], 'state', 'open', 'expiresAt', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
redis.call('SADD', KEYS[3], ARGV[1])
return 1`);

const close = `
local function close(state, now)
  redis.call('HSET', KEYS[1], 'state', state)
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('SREM', KEYS[3], ARGV[1])
  redis.call('EXPIRE', KEYS[1], 2592000)
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 'unknown' end`;

/** ARGV: now, the person's field, the forge user's field or '', the decision, approve or deny, how many are needed. */
const decideScript = script(`${close}
if state ~= 'open' then return 'closed' end
if tonumber(ARGV[2]) >= tonumber(redis.call('HGET', KEYS[1], 'expiresAt')) then return 'expired' end
if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 1 then return 'again' end
if ARGV[4] ~= '' then
  if redis.call('HEXISTS', KEYS[1], ARGV[4]) == 1 then return 'again' end
  redis.call('HSET', KEYS[1], ARGV[4], '1')
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[5])
if ARGV[6] == 'deny' then
  close('denied', ARGV[2])
  return 'denied'
end
if redis.call('HINCRBY', KEYS[1], 'count', 1) < tonumber(ARGV[7]) then return 'counted' end
redis.call('HSET', KEYS[1], 'state', 'approved')
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 'approved'`);

/** ARGV: the person's field, the forge user's field or ''. */
const unvoteScript = script(`
if redis.call('HGET', KEYS[1], 'state') ~= 'open' or redis.call('HDEL', KEYS[1], ARGV[2]) == 0 then return 0 end
if ARGV[3] ~= '' then redis.call('HDEL', KEYS[1], ARGV[3]) end
redis.call('HINCRBY', KEYS[1], 'count', -1)
return 1`);

/** ARGV: now, the new state, a result or ''. Only an open one can be closed. */
const closeOpenScript = script(`${close}
if state ~= 'open' then return 'closed' end
if ARGV[3] == 'expired' and tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'expiresAt')) then
  return 'early'
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'result', ARGV[4]) end
close(ARGV[3], ARGV[2])
return ARGV[3]`);

/** ARGV: now, until when the claim holds. An expired claim can be taken over; its fence then fails. */
const claimScript = script(`
local state = redis.call('HGET', KEYS[1], 'state')
local until_ = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if state ~= 'approved' and not (state == 'running' and until_ <= tonumber(ARGV[2])) then return 0 end
redis.call('HSET', KEYS[1], 'state', 'running', 'until', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'fence', 1)`);

const held = `
if redis.call('HGET', KEYS[1], 'state') ~= 'running' or redis.call('HGET', KEYS[1], 'fence') ~= ARGV[2] then return 0 end`;

/** ARGV: fence, until. */
const renewScript = script(`${held}
redis.call('HSET', KEYS[1], 'until', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1`);

/** ARGV: fence, now, done or failed, the result. */
const finishScript = script(`${held}
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'result', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('EXPIRE', KEYS[1], 2592000)
return 1`);

/** ARGV: the announced state. Decided and announced: nothing is left to do. */
const announcedScript = script(`
if redis.call('HGET', KEYS[1], 'state') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'told', ARGV[2])
if ARGV[2] == 'open' then
  redis.call('ZADD', KEYS[2], redis.call('HGET', KEYS[1], 'expiresAt'), ARGV[1])
elseif ARGV[2] ~= 'approved' and ARGV[2] ~= 'running' then
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 1`);

const Outcome = z.enum(['unknown', 'closed', 'expired', 'again', 'denied', 'counted', 'approved']);
/** counted: more approvals needed. again: this person or forge user already decided. unconfirmed: unknown to the forge. */
type DecideOutcome = z.infer<typeof Outcome> | 'self' | 'unconfirmed';

const Closed = z.enum(['unknown', 'closed', 'early', 'withdrawn', 'expired']);
type CloseOutcome = z.infer<typeof Closed>;

/** Held while running an approved command; a claim that was taken over can finish nothing. */
interface Claim {
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
      const text = checkSignature(seal, stored, partAbout(id, part));
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
    signText(seal, result.encode({ ...given, at: now() }), partAbout(id, 'result'));
  const closeOpen = async (id: string, state: ApprovalState, summary?: string): Promise<CloseOutcome> => {
    const text = summary === undefined ? '' : resultText(id, { summary });
    return Closed.parse((await step(id, closeOpenScript, [now(), state, text])) ?? 'unknown');
  };

  return {
    get,

    /** False if an approval with this id exists: a job that runs again asks once. */
    async create(request: Omit<Ask, 'createdAt'>, args: unknown): Promise<boolean> {
      const { id, requester, policy } = request;
      const sealed = seal.seal(JSON.stringify(args), about(id));
      const text = signText(seal, ask.encode({ ...request, createdAt: now() }), partAbout(id, 'ask'));
      const made = await createScript(redis, keysOf(id, requester), [id, text, sealed, policy.expiresAt, now()]);
      return made === 1;
    },

    /** The arguments as requested; undefined once their key is gone. The caller validates them against the command. */
    async args(id: string): Promise<unknown> {
      const sealed = await redis.hget(keys.approval({ id }), 'args');
      return sealed === null ? undefined : unseal(seal, sealed, about(id));
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
      const text = signText(
        seal,
        decision.encode({ ...given, at: now() }),
        partAbout(id, { voter: `${team}/${user}` }),
      );
      const who = [`by ${team}/${user}`, forgeUserId === null ? '' : `forge ${forgeUserId}`];
      const args = [id, now(), ...who, text, given.verdict, found.policy.needed];
      return Outcome.parse(await decideScript(redis, keysOf(id, found.requester), args));
    },

    /** Removes an approval that no longer counts; only while it is open. */
    unvote: async (id: string, { team, user, forgeUserId }: Party): Promise<boolean> =>
      (await step(id, unvoteScript, [`by ${team}/${user}`, forgeUserId === null ? '' : `forge ${forgeUserId}`])) === 1,

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
      const fence = z.number().parse((await step(id, claimScript, [now(), now() + holdMs])) ?? 0);
      return fence === 0 ? undefined : { id, fence };
    },
    renew: async ({ id, fence }: Claim, holdMs: number): Promise<boolean> =>
      (await step(id, renewScript, [fence, now() + holdMs])) === 1,
    async finish(
      { id, fence }: Claim,
      state: 'done' | 'failed' | 'unknown',
      given: Omit<Result, 'at'>,
    ): Promise<boolean> {
      const text = resultText(id, given);
      return (await step(id, finishScript, [fence, now(), state, text])) === 1;
    },

    /** Card and people know this state (it is in the outbox); false if it has changed since. */
    announced: async (id: string, state: ApprovalState): Promise<boolean> =>
      (await step(id, announcedScript, [state])) === 1,

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
