import { z } from 'zod';

const PersonShape = z.object({ team: z.string().min(1), user: z.string().min(1) });

/** Where the answer goes: the response_url while it is valid, then an ephemeral message, then a direct message. */
const AnswerTo = z.object({
  responseUrl: z.string().optional(),
  /** Replaces the message with the button (paging) instead of adding one. */
  replace: z.boolean().optional(),
  threadTs: z.string().optional(),
  /** Posted into its thread, visible to everyone who can read it. */
  posted: z.boolean().optional(),
  /** A view-only form: its answer replaces the view. */
  viewId: z.string().optional(),
  /** The form was prefilled from the forge and is prefilled again when it reopens. */
  filled: z.boolean().optional(),
  /** From an agent: the answer is kept for it under this id, and nobody else gets it. */
  call: z.object({ id: z.string(), agent: z.string() }).optional(),
  /** Clicked on the App Home with this hash: the answer appears there. */
  home: z.string().optional(),
});
export type AnswerTo = z.infer<typeof AnswerTo>;

const address = {
  person: PersonShape,
  channel: z.string().optional(),
  answer: AnswerTo,
  acceptedAt: z.number(),
};
const common = { v: z.literal(1), ...address };

/** Who an answer is for, and the ways to reach them. */
export const Address = z.object(address);
export type Address = z.infer<typeof Address>;

export const CommandJob = z.object({
  ...common,
  kind: z.literal('command'),
  command: z.string(),
  /** Typed arguments; secret fields are sealed strings. */
  args: z.record(z.string(), z.unknown()),
  dryRun: z.boolean(),
  source: z.enum(['typed', 'written', 'form', 'button', 'resumed', 'agent']),
  /** The person's agent that sent it. */
  agent: z.object({ id: z.string(), name: z.string() }).optional(),
});
export type CommandJob = z.infer<typeof CommandJob>;

const UndoJob = z.object({
  ...common,
  kind: z.literal('undo'),
  undo: z.string(),
  /** Who made the change that the button undoes; older buttons do not say. */
  by: z.string().max(30).optional(),
});
const DecisionJob = z.object({
  ...common,
  kind: z.literal('decision'),
  approval: z.string(),
  verdict: z.enum(['approve', 'deny', 'withdraw']),
  /** The reason for a denial. */
  note: z.string().max(500).optional(),
});

/** Accepted work as stored in Redis; the same path for typed, submitted, clicked and released commands. */
export const ActJob = z.discriminatedUnion('kind', [CommandJob, UndoJob, DecisionJob]);
export type ActJob = z.infer<typeof ActJob>;
export type UndoJob = z.infer<typeof UndoJob>;
export type DecisionJob = z.infer<typeof DecisionJob>;

/** `accepted` only once the job is stored; otherwise nothing will run: Redis did not take it, or too many are queued. */
export type Acceptance = 'accepted' | 'unstored' | 'tooMany';
export type Accept = (job: ActJob, id: string) => Promise<Acceptance>;

/** BullMQ refuses `:` and bare integers in its own ids. */
export function jobIdOf(...parts: readonly string[]): string {
  return `j-${parts.join('-').replaceAll(/[^A-Za-z0-9_.-]/g, '_')}`.slice(0, 200);
}

/** Of a reply in a synced thread, or of a change to it: their ids begin alike. */
export const replyJobId = (channel: string, ts: string, ...change: readonly string[]): string =>
  jobIdOf('t', channel, ts, ...change);
