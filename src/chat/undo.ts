import { z } from 'zod';
import { UserError } from '../errors.js';
import { type ApiError, isOperationName, type OperationName } from '../forge/index.js';
import { doneCard } from '../view/cards/outcome.js';
import { type Message, message } from '../view/message.js';
import { join, lines, type Mrkdwn, md } from '../view/text.js';
import type { UndoJob } from './act-job.js';
import { actedByRequests } from './acted.js';
import { refuseRole } from './admit.js';
import type { Context } from './context.js';
import { explanation } from './explain.js';
import { guardWrites, type Held, SentBefore } from './hold.js';
import { refuseTakenOver } from './repo-ids.js';
import { type Request, send, sendAll } from './request.js';
import type { Runtime } from './runtime.js';
import { openSession } from './session.js';

const Kept = z.object({
  operation: z.string().refine((name): name is OperationName => isOperationName(name)),
  input: z.record(z.string(), z.unknown()),
});
const Offer = z.object({
  says: z.string(),
  request: z.union([z.array(Kept).min(1), Kept.transform((one) => [one])]),
  guard: z.object({ request: Kept, expect: z.record(z.string(), z.unknown()) }).optional(),
  /** The repositories it names; an earlier version did not say. */
  known: z.array(z.object({ owner: z.string(), repo: z.string(), repoId: z.int() })).default([]),
  /** What it undoes; an earlier version did not say. */
  command: z.string().optional(),
});

const tooLate = 'This can no longer be undone here. Change it back on the forge.';

/** Only for the person who acted, once, for a few minutes, and not if someone has changed it since. */
export async function performUndo(runtime: Runtime, job: UndoJob, id: string, held: Held): Promise<Message> {
  if (job.by !== undefined && job.by !== job.person.user)
    throw new UserError('Only the person who made this change can undo it.');
  const once = `undo-${job.undo}`;
  const refuseUsed = async () => {
    const used = await runtime.services.store.jobs.marked(once, 'sent');
    if (used?.note === id)
      throw new UserError('The forge did not confirm the undo. Check it there before you try again.');
    if (used) throw new UserError(tooLate);
  };
  await refuseUsed();
  try {
    return await undo(runtime, job, { id, once, held });
  } catch (error) {
    if (error instanceof SentBefore) await refuseUsed();
    throw error;
  }
}

async function undo(
  runtime: Runtime,
  job: UndoJob,
  { id, once, held }: { readonly id: string; readonly once: string; readonly held: Held },
): Promise<Message> {
  const { services } = runtime;
  const account = await services.store.accounts.get(job.person);
  if (account?.state !== 'active') throw new UserError('Link your forge account again, then undo this on the forge.');
  const offer = Offer.safeParse(await services.store.undo.get(job.person, job.undo));
  if (!offer.success) throw new UserError(tooLate);
  const command = runtime.catalog.get(offer.data.command ?? '');
  if (command) refuseRole(command, await services.roles.fresh(job.person));
  const calls: { name: OperationName; status: number | undefined }[] = [];
  const started = performance.now();
  const context = await openSession(services, {
    person: job.person,
    channel: job.channel,
    account,
    command,
    // An offer is used once, by whichever click and run of its job comes first.
    beforeWrite: guardWrites(services.store, { id: once, effect: 'once', held, note: () => id }),
    afterCall: (name, { status }) => {
      calls.push({ name, status });
    },
    progress: async () => {},
    offerUndo() {},
  });
  const { says, request: requests, guard, known } = offer.data;
  if (guard) await refuseChanged(guard.request, guard.expect, context);
  await refuseTakenOver(known, context.api);
  const refused = await sendAll(context.api, requests);
  runtime.acted(context, actedByRequests(requests));
  const but = refused.map(({ error }) => stayed(context, error));
  await runtime.record({
    person: job.person,
    login: account.login,
    command: 'undo',
    args: { operation: requests.map(({ operation }) => operation).join(', ') },
    operations: calls,
    outcome: 'done',
    durationMs: Math.round(performance.now() - started),
    ...(but.length === 0 ? {} : { detail: 'only in part' }),
  });
  return message({ blocks: doneCard({ says: but.length === 0 ? md`${says}` : md`Only partly undone.`, but }) });
}

function stayed(context: Context, error: ApiError): Mrkdwn {
  const { says, next } = explanation(error, context);
  return join([lines(says), next], '\n');
}

async function refuseChanged(
  look: Request,
  expect: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<void> {
  const present = await send(context.api, look);
  const values = new Map(Object.entries(typeof present === 'object' && present !== null ? present : {}));
  const changed = Object.entries(expect).filter(
    ([name, value]) => JSON.stringify(values.get(name)) !== JSON.stringify(value),
  );
  if (changed.length === 0) return;
  if (changed.some(([name]) => name === 'id'))
    throw new UserError('Not undone: another repository has this name now. Change it back on the forge.');
  const now = changed.map(([name]) => `${name.replaceAll('_', ' ')} is now ${brief(values.get(name))}`).join(', ');
  throw new UserError(`Not undone: someone changed it since (${now}). Check it on the forge.`);
}

/** A title or state as text; lists and long texts only by their kind. */
function brief(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'unset';
  if (typeof value === 'string') return value.length > 60 ? 'another text' : `“${value}”`;
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : 'different';
}
