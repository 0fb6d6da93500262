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

/** A person as the approval knows them: in Slack and at the forge. */
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
  /** Of the forge, `org/team`. */
  teams: texts.default([]),
  requesterCounts: z.boolean(),
  authorsCount: z.boolean().default(true),
  expiresAt: z.int(),
});

/** What was asked and shown; never changes afterwards. */
const Ask = z.object({
  id: z.string(),
  command: z.string(),
  /** Fingerprint of the command's fields; an approval whose command changed shape is refused. */
  shape: z.string(),
  requester: Party,
  /** The agent of the requester that asked. */
  agent: z.object({ id: z.string(), name: z.string() }).optional(),
  /** Where it was asked; commands that act on a channel act on this one. */
  channel: z.string().nullable(),
  policy: Policy,
  /** What must not change until the deciding click. */
  bound: z.json(),
  /** Forge user ids of those who wrote it, as far as the forge says. */
  authors: z.array(z.int()).default([]),
  /** What the reader saw beside it. */
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

/** refused: approved, and then no longer right to send. */
const Result = z.object({ summary: z.string(), at: z.int(), refused: z.boolean().optional() });
export type Result = z.infer<typeof Result>;

export interface Approval extends Ask {
  readonly state: ApprovalState;
  readonly decisions: readonly Decision[];
  readonly result?: Result;
  /** The last state its people were told of. */
  readonly announced?: ApprovalState;
  /** How often it was claimed to run; more than once means that a run was cut off. */
  readonly runs: number;
}

export const ask = versioned(Ask);
export const decision = versioned(Decision);
export const result = versioned(Result);

/** What is signed by itself: what was asked, what came of it, the vote of one person. */
export type Part = 'ask' | 'result' | { readonly voter: string };

/** Gives the text back where Bellows wrote it. */
type Check = (stored: string, part: Part) => string | undefined;

const voteField = 'by ';

/** Reads the hash as it stands in Redis; only what passes the check counts. */
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
