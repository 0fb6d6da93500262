import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { ApiError } from '../forge/index.js';
import type { Stamp } from '../store/index.js';
import { unknownCard } from '../view/cards/outcome.js';
import { type Message, message, withBlocks } from '../view/message.js';
import { code, link, type Mrkdwn } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import type { Said } from './answer-once.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand, Sent } from './command.js';
import type { Context } from './context.js';
import type { Args, Fields } from './field.js';
import { bindButtons } from './fitted.js';
import { fullName, pageIn, refOf, webAddress } from './references.js';
import type { Entry, Runtime } from './runtime.js';
import { readOnlySession, type Services } from './session.js';

/** found: it happened, and this is the answer. absent: it is not there. blind: that cannot be determined. */
export type Looked = { readonly found: Message } | 'absent' | 'blind';

/** The forge may still be working on an interrupted request. */
const patiently = [0, 500, 1_500, 4_000] as const;
/** The forge reported a failure: nothing will appear later. */
export const briefly = [0, 500] as const;
/** A struggling forge may take long to answer each check. */
const longestMs = 20_000;
/** The forge stores whole seconds, and its clock is known only to a second or two. */
const toleranceMs = 3_000;

/** When it was sent, by the forge's clock. */
export const sentOf = ({ at, note }: Stamp, { forge }: Pick<Services, 'forge'>): Sent => ({
  since: new Date(at + forge.skew() - toleranceMs),
  note,
});

/** Sends nothing again: if the command can check whether it happened, it does. */
export async function look(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  sent: Sent,
  pauses: readonly number[] = patiently,
): Promise<Looked> {
  const until = performance.now() + longestMs;
  let seen: Looked = 'blind';
  for (const pauseMs of pauses) {
    if (performance.now() + pauseMs > until) break;
    await pause(pauseMs);
    const late = pause(until - performance.now(), 'blind' as const, { ref: false });
    const now = await Promise.race([lookOnce(command, args, context, sent), late]);
    if (typeof now === 'object') return now;
    if (now === 'absent') seen = now;
  }
  return seen;
}

async function lookOnce(command: AnyCommand, args: Args<Fields>, context: Context, sent: Sent): Promise<Looked> {
  if (!command.findDone) return 'blind';
  try {
    const result = await command.findDone(args, context, sent);
    if (result === undefined) return 'absent';
    return result === 'blind' ? 'blind' : { found: await command.reply(result, args, context) };
  } catch (error) {
    if (isBlinding(error)) return 'blind';
    throw error;
  }
}

/** If the forge cannot be asked or the item no longer exists, the outcome stays unknown. */
const isBlinding = (error: unknown) => error instanceof ApiError || error instanceof UserError;

/** For a job that an earlier run left unfinished. */
async function lookForJob(
  { services, catalog }: Runtime,
  command: AnyCommand,
  job: CommandJob,
  id: string,
  stamp: Stamp,
  pauses?: readonly number[],
): Promise<Looked> {
  const account = await services.store.accounts.get(job.person);
  if (!command.findDone || account?.state !== 'active') return 'blind';
  const context = await readOnlySession(services, {
    person: job.person,
    channel: job.channel,
    account,
    job: id,
  });
  try {
    const args = await resolveArgs(command, openArgs(command, job, services.store), context);
    const looked = await look(command, args, context, sentOf(stamp, services), pauses);
    if (typeof looked !== 'object') return looked;
    return { found: withBlocks(looked.found, await bindButtons(looked.found.blocks, catalog, context.repoId)) };
  } catch (error) {
    if (isBlinding(error)) return 'blind';
    throw error;
  }
}

/** A write that must not be repeated was sent before the interruption: either it is found, or the outcome is unknown. */
export async function whatWasSent(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  id: string,
): Promise<Said | undefined> {
  const stamp = command.effect === 'once' ? await runtime.services.store.jobs.marked(id, 'sent') : undefined;
  if (!stamp) return undefined;
  // Not there yet does not mean not done: the sender may be suspended, and so may the forge.
  return (await found(runtime, command, job, id, stamp)) ?? unknownOutcome(runtime, command, job);
}

/** The answer to what was sent, if it has reached the forge by now. */
export async function found(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  id: string,
  stamp: Stamp,
  pauses?: readonly number[],
): Promise<Said | undefined> {
  const looked = await lookForJob(runtime, command, job, id, stamp, pauses);
  if (typeof looked !== 'object') return undefined;
  await runtime.record({ ...blank(job), outcome: 'done', detail: foundAfterwards });
  return { message: looked.found };
}

export const foundAfterwards = 'not confirmed by the forge; found there afterwards';

/** Posted where the person finds it again and a better answer can replace it. */
export async function unknownOutcome(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  calls: Entry['operations'] = [],
): Promise<Said> {
  await runtime.record({ ...blank(job), operations: calls, outcome: 'unknown' });
  return { message: unknownMessage(command, job.args, runtime.services), rank: 'unknown', ask: job };
}

export function unknownMessage(
  command: AnyCommand,
  args: Readonly<Record<string, unknown>>,
  { forge }: Pick<Services, 'forge'>,
): Message {
  const look = placeIn(args, forge.web);
  return message({ blocks: unknownCard({ asked: code(command.name), look }) });
}

/** Where a person can check whether it happened. */
function placeIn(args: Readonly<Record<string, unknown>>, web: string): Mrkdwn {
  const page = pageIn(args);
  if (!page) return link(web, 'the forge');
  return link(webAddress(web, page), 'index' in page.of ? refOf(page.of) : fullName(page.of));
}

/** For an entry about which nothing is known yet. */
export const blank = (job: CommandJob): Omit<Entry, 'outcome'> => ({
  person: job.person,
  agent: job.agent,
  login: '',
  command: job.command,
  args: job.args,
  operations: [],
  durationMs: 0,
});
