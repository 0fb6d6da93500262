import { UserError } from '../errors.js';
import { ApiError, isLost, type OperationName } from '../forge/index.js';
import type { Account, Stamp } from '../store/index.js';
import { doneCard } from '../view/cards/outcome.js';
import { type Message, message, say } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import type { Said } from './answer-once.js';
import type { AnyCommand } from './command.js';
import type { Context } from './context.js';
import { explain, inWords } from './explain.js';
import type { Args, Fields } from './field.js';
import { askToLink, askToRelink } from './linking.js';
import { briefly, foundAfterwards, look, sentOf, unknownOutcome } from './outcome.js';
import { withReopenButton } from './reopen-button.js';
import type { Entry, Runtime } from './runtime.js';
import { scopeFailure } from './scopes.js';

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
export async function failed(attempt: Attempt, context: Context, error: unknown): Promise<Said> {
  const { runtime, command, job, account, calls, record } = attempt;
  const { answers } = runtime;
  const refused =
    error instanceof ApiError && (error.status === 401 || error.status === 403) ? error.status : undefined;
  const isOwn = refused !== undefined && calls.some(({ status }) => status === refused);
  if (refused === 401 && account && isOwn) {
    await askToRelink(runtime, account);
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
  const said = scopes ?? explain(error, { ...context, command, args: attempt.args, absent });
  return (await answers.reopen(job, command, said))
    ? {}
    : { message: withReopenButton(said, command, job), added: true, failed: true };
}

async function outcome(attempt: Attempt, context: Context, error: ApiError): Promise<Said | 'absent'> {
  const { runtime, command, job, args, sent, calls, record } = attempt;
  if (!args || !sent) return 'absent';
  // A forge that reports a failure is done; one that said nothing may still be working on it.
  const ended = error.status === 500;
  const looked = await look(command, args, context, sentOf(sent, runtime.services), ended ? briefly : undefined);
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
