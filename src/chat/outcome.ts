import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf, UserError } from '../errors.js';
import { ApiError, isLost, type OperationName } from '../forge/index.js';
import type { Account, Stamp } from '../store/index.js';
import { doneCard, unknownCard } from '../view/cards/outcome.js';
import { type Message, message, say, withBlocks } from '../view/message.js';
import { code, link, type Mrkdwn, md } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import { answerOnce, holdMs, readContent, type Said, tellKept } from './answer-once.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand, Sent } from './command.js';
import type { Context } from './context.js';
import { explain, findMissing, inWords } from './explain.js';
import type { Args, Fields } from './fields.js';
import { bindButtons } from './fitted.js';
import { askToLink, askToRelink } from './linking.js';
import { fullName, pageIn, refOf, webAddress } from './references.js';
import { withReopenButton } from './reopen-button.js';
import type { Entry, Runtime } from './runtime.js';
import { scopeFailure } from './scopes.js';
import { readOnlySession, type Services } from './session.js';

/** found: it happened, and this is the answer. absent: it is not there. blind: that cannot be determined. */
type Looked = { readonly found: Message } | 'absent' | 'unknowable';

/** The forge may still be working on an interrupted request: pauses before each look, in multiples of `lookMs`. */
const patiently = [0, 1, 3, 8] as const;
/** The forge reported a failure: nothing will appear later. */
const briefly = [0, 1] as const;
/** A struggling forge may take long to answer each check. */
const longestMs = 20_000;
/** The forge stores whole seconds, and its clock is known only to a second or two. */
const toleranceMs = 3_000;

/** When it was sent, by the forge's clock. */
const sentOf = ({ at, note }: Stamp, { forge }: Pick<Services, 'forge'>): Sent => ({
  since: new Date(at + forge.skew() - toleranceMs),
  note,
});

interface Ready {
  readonly command: AnyCommand;
  readonly args: Args<Fields>;
  readonly context: Context;
}

/** Sends nothing again: if the command can check whether it happened, it does. */
export async function look(
  { services, lookMs }: Pick<Runtime, 'services' | 'lookMs'>,
  ready: Ready,
  stamp: Stamp,
  pauses: readonly number[] = patiently,
): Promise<Looked> {
  const sent = sentOf(stamp, services);
  const until = performance.now() + longestMs;
  let seen: Looked = 'unknowable';
  for (const pauseMs of pauses.map((times) => times * lookMs)) {
    if (performance.now() + pauseMs > until) break;
    await pause(pauseMs);
    const late = pause(until - performance.now(), 'unknowable' as const, { ref: false });
    const now = await Promise.race([lookOnce(ready, sent), late]);
    if (typeof now === 'object') return now;
    if (now === 'absent') seen = now;
  }
  return seen;
}

async function lookOnce({ command, args, context }: Ready, sent: Sent): Promise<Looked> {
  if (!command.findDone) return 'unknowable';
  try {
    const result = await command.findDone(args, context, sent);
    if (result === undefined) return 'absent';
    return result === 'unknowable' ? 'unknowable' : { found: await command.reply(result, args, context) };
  } catch (error) {
    if (isBlinding(error)) return 'unknowable';
    throw error;
  }
}

/** If the forge cannot be asked or the item no longer exists, the outcome stays unknown. */
const isBlinding = (error: unknown) => error instanceof ApiError || error instanceof UserError;

/** For a job that an earlier run left unfinished. */
async function lookForJob(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  id: string,
  stamp: Stamp,
  pauses?: readonly number[],
): Promise<Looked> {
  const { services, catalog } = runtime;
  const account = await services.store.accounts.get(job.person);
  if (!command.findDone || account?.state !== 'active') return 'unknowable';
  const context = await readOnlySession(services, {
    person: job.person,
    channel: job.channel,
    account,
    job: id,
  });
  try {
    const args = await resolveArgs(command, openArgs(command, job, services.store), context);
    const looked = await look(runtime, { command, args, context }, stamp, pauses);
    if (typeof looked !== 'object') return looked;
    return { found: withBlocks(looked.found, await bindButtons(looked.found.blocks, catalog, context.repoId)) };
  } catch (error) {
    if (isBlinding(error)) return 'unknowable';
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
  const stamp = command.effect === 'once' ? await runtime.services.store.jobs.markOf(id, 'sent') : undefined;
  if (!stamp) return undefined;
  // Not there yet does not mean not done: the sender may be suspended, and so may the forge.
  return (await findOutcome(runtime, command, job, id, stamp)) ?? unknownOutcome(runtime, command, job);
}

/** The answer to what was sent, if it has reached the forge by now. */
async function findOutcome(
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

const foundAfterwards = 'not confirmed by the forge; found there afterwards';

/** Posted where the person finds it again and a better answer can replace it. */
async function unknownOutcome(
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

/** One run of a command, as far as it got. */
export interface Attempt {
  readonly runtime: Runtime;
  readonly command: AnyCommand;
  readonly job: CommandJob;
  readonly account: Account | undefined;
  readonly calls: readonly { readonly name: OperationName; readonly status: number | undefined }[];
  record(outcome: Entry['outcome'], detail?: string): Promise<void>;
  args?: Args<Fields>;
  /** When its first write was sent. */
  sent?: Stamp;
}

/** It was done, even if its details can no longer be read. */
export async function replyTo(
  command: AnyCommand,
  result: unknown,
  args: Args<Fields>,
  context: Context,
): Promise<Message> {
  try {
    return await command.reply(result, args, context);
  } catch (error) {
    if (command.risk === 'read' || !(error instanceof ApiError)) throw error;
    const but = ['The forge is not responding, so the result cannot be shown.'];
    return message({ blocks: doneCard({ says: md`Done: ${code(command.name)}.`, but }) });
  }
}

/** Why it failed, or what became of it. */
export async function explainFailure(attempt: Attempt, context: Context, error: unknown): Promise<Said> {
  const { runtime, command, job, account, calls, record } = attempt;
  const { answers } = runtime;
  const refused =
    error instanceof ApiError && (error.status === 401 || error.status === 403) ? error.status : undefined;
  const isOwn = refused !== undefined && calls.some(({ status }) => status === refused);
  if (refused === 401 && account && isOwn) {
    await askToRelink(runtime.services, account);
    if (calls.every(({ status }) => status === 401))
      return { message: await askToLink(runtime, command, job, account), failed: true };
  } else if (refused !== undefined && account && !isOwn) {
    await record('failed', reason(error, runtime.services));
    return {
      message: say(
        md`The forge refused a token that Bellows needs for this, and it is not yours. Ask a Bellows admin to check it.`,
      ),
      failed: true,
    };
  }
  const conflict = error instanceof ApiError && error.kind === 'conflict';
  if (conflict && (await answers.reopen(job, command, 'conflict'))) {
    return { message: say(md`Someone else edited this. Review both versions before saving.`), beside: true };
  }
  const became = attempt.sent && isLost(error) ? await outcome(attempt, context, error) : 'absent';
  if (became !== 'absent') return became;
  if (command.risk !== 'read' || job.agent || !(error instanceof UserError))
    await record('failed', reason(error, runtime.services));
  // a scope missing on another token is not this person's problem
  const scopes = isOwn ? scopeFailure(error, context.forge) : undefined;
  const absent = attempt.sent !== undefined && isLost(error);
  const { args = {} } = attempt;
  const cause = await findMissing(error, { command, args, api: context.api });
  const said = scopes ?? explain(cause, { ...context, command, absent });
  return (await answers.reopen(job, command, said))
    ? {}
    : { message: withReopenButton(said, command, job), added: true, failed: true };
}

async function outcome(attempt: Attempt, context: Context, error: ApiError): Promise<Said | 'absent'> {
  const { runtime, command, job, args, sent, calls, record } = attempt;
  if (!args || !sent) return 'absent';
  // A forge that reports a failure is done; one that said nothing may still be working on it.
  const ended = error.status === 500;
  const looked = await look(runtime, { command, args, context }, sent, ended ? briefly : undefined);
  if (typeof looked === 'object') {
    await record('done', foundAfterwards);
    return { message: looked.found };
  }
  return looked === 'absent' && ended ? 'absent' : unknownOutcome(runtime, command, job, calls);
}

function reason(error: unknown, { slash }: Runtime['services']): string {
  if (error instanceof ApiError) return `${error.kind}${error.status === undefined ? '' : ` ${error.status}`}`;
  return error instanceof UserError ? inWords(error, slash) : 'defect';
}

/** The first check is after half a minute; then less and less often, until nobody would still expect an answer. */
const looksAfterMs = [90_000, 600_000, 1_800_000] as const;

/** Delivers answers that Slack refused and follows up on unknown outcomes; what is found replaces the earlier answer. */
export async function sweepAnswers(runtime: Runtime): Promise<void> {
  const due = await runtime.services.store.answers.due(holdMs);
  const logFailure = (id: string) => (error: unknown) =>
    runtime.services.log.warn({ id, reason: reasonOf(error) }, 'could not follow up on an answer');
  await Promise.all(due.map((id) => attend(runtime, id).catch(logFailure(id))));
}

async function attend(runtime: Runtime, id: string): Promise<void> {
  const { answers } = runtime.services.store;
  const kept = await answers.get(id);
  if (!kept) return answers.later(id, 0);
  if (kept.delivered !== kept.rank) return tellKept(runtime, id);
  const job = readContent(kept.content)?.ask;
  const command = job && runtime.catalog.get(job.command);
  const stamp = command && (await runtime.services.store.jobs.markOf(id, 'sent'));
  const said = stamp && (await findOutcome(runtime, command, job, id, stamp, [0]));
  if (said) return answerOnce(runtime, job, id, said);
  const next = looksAfterMs[kept.tries];
  return next === undefined ? answers.recordDelivery(id, kept.rank, undefined) : answers.later(id, next);
}
