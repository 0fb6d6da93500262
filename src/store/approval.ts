import { z } from 'zod';
import { texts, versioned } from './value.js';

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
export type Ask = z.infer<typeof Ask>;

const Decision = z.object({
  by: Party,
  verdict: z.enum(['approve', 'deny']),
  at: z.int(),
  note: z.string().optional(),
});
export type Decision = z.infer<typeof Decision>;

/** refused: approved, but no longer right to send. */
const Result = z.object({ summary: z.string(), at: z.int(), refused: z.boolean().optional() });
export type Result = z.infer<typeof Result>;

export interface Approval extends Ask {
  readonly state: ApprovalState;
  readonly decisions: readonly Decision[];
  readonly result?: Result;
  /** The last announced state. */
  readonly announced?: ApprovalState;
  /** How often it was claimed to run; more than once means that a run was interrupted. */
  readonly runs: number;
}

export const ask = versioned(Ask);
export const decision = versioned(Decision);
export const result = versioned(Result);

/** Signed separately: the request, its result, and each person's vote. */
export type Part = 'ask' | 'result' | { readonly voter: string };

/** Returns the text if Bellows wrote it. */
type Check = (stored: string, part: Part) => string | undefined;

const voteField = 'by ';

/** Reads the hash from Redis; only what passes the check counts. */
export function readApproval(fields: Readonly<Record<string, string>>, check: Check): Approval | undefined {
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
