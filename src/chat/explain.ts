import { randomBytes } from 'node:crypto';
import { showDuration } from '../duration.js';
import { UserError } from '../errors.js';
import { ApiError, describe, type FailureKind, isOperationName, mayHaveHappened } from '../forge/index.js';
import type { Log } from '../log.js';
import { type Failure, failureCard } from '../view/cards/outcome.js';
import { type Message, message } from '../view/message.js';
import type { AnyCommand } from './command.js';
import { deedOf } from './deeds.js';
import { MessageError } from './message-error.js';

export interface Circumstances {
  readonly command?: AnyCommand | undefined;
  /** `/forge` */
  readonly slash: string;
  readonly log: Log;
  /** Names a defect in the log. */
  readonly reference?: () => string;
  /** Bellows looked: what was sent is not there. */
  readonly absent?: boolean;
}

/** The failure as words, for where a message is not what is shown. */
export type Explanation = Failure & { readonly says: string; readonly next?: string | undefined };

type Words = Pick<Explanation, 'says' | 'next' | 'attempt'>;

const wait = 'Try again in a moment. If it stays so, ask whoever runs the forge.';

function wordsOf(kind: FailureKind, deed: string, slash: string): Words {
  switch (kind) {
    case 'unauthorized':
      return {
        says: 'The forge does not accept your credential.',
        next: 'Link your account again.',
        attempt: `${slash} signin`,
      };
    case 'forbidden':
      return { says: `You may not ${deed}.`, next: 'Ask an owner for the right, or check the scopes of your token.' };
    case 'notFound':
      return {
        says: `Could not ${deed}: there is no such thing, or you may not see it.`,
        next: 'Check owner, name and number.',
      };
    case 'conflict':
      return {
        says: `Could not ${deed}: it is in that state already, or was changed meanwhile.`,
        next: 'Look at it again, then repeat.',
      };
    case 'invalid':
      return {
        says: `Could not ${deed}: the forge does not accept what was given.`,
        next: 'Check the values and try again.',
      };
    case 'archived':
      return { says: `Could not ${deed}: the repository is archived.`, next: 'Ask an owner to unarchive it.' };
    case 'empty':
      return { says: `Could not ${deed}: the repository is empty.`, next: 'Push a first commit, then try again.' };
    case 'exists':
      return {
        says: `Could not ${deed}: there is one like it already.`,
        next: 'Choose another name, or use the one that is there.',
      };
    case 'blocked':
      return {
        says: `Could not ${deed}: something open still blocks it.`,
        next: 'Close what blocks it first, or take the block away.',
      };
    case 'rejected':
      return {
        says: `Could not ${deed}: the forge refused.`,
        next: 'Look at it on the forge; its rules may ask for something first.',
      };
    case 'unavailable':
      return { says: `Could not ${deed}: the forge cannot be reached or is in trouble.`, next: wait };
    case 'timeout':
      return { says: `Could not ${deed}: the forge did not answer in time.`, next: wait };
  }
}

function ofApi(error: ApiError, slash: string, absent: boolean): Words {
  const deed = deedOf(error.operation);
  if (error.unsupported) return { says: `This server cannot ${deed}.`, next: error.hint };
  const words = wordsOf(error.kind, deed, slash);
  const server = error.serverMessage.trim().slice(0, 300);
  const says = server === '' ? words.says : `${words.says}\nThe forge says: ${server}`;
  const next = [error.hint, absent ? nothingDone(error) : unsureOf(error)].filter(Boolean).join(' ');
  return { ...words, says, next: next || words.next };
}

const isWrite = ({ operation }: ApiError) => isOperationName(operation) && describe(operation).effect !== 'read';

/** A write without an answer may have happened. */
function unsureOf(error: ApiError): string | undefined {
  const again = error.retryAfter === undefined ? undefined : `Try again in ${showDuration(error.retryAfter)}.`;
  // A hint that knows when to try again says it itself.
  if (error.neverSent && error.hint !== undefined) return undefined;
  if (isWrite(error) && mayHaveHappened(error))
    return 'It may have happened anyway: check the forge before trying again.';
  return again ?? (isWrite(error) && error.neverSent ? 'Nothing was sent. Try again in a moment.' : undefined);
}

const nothingDone = (error: ApiError) =>
  isWrite(error) && mayHaveHappened(error) ? 'Nothing was changed: Bellows looked.' : undefined;

/** Three kinds of failure: a sentence as it stands, the forge's answer in words, and a defect as a reference only. */
export function explanation(
  error: unknown,
  { command, slash, log, reference = shortReference, absent = false }: Circumstances,
): Explanation {
  // Sentences are written with the usual name of the slash command.
  if (error instanceof UserError) return { says: error.message.replaceAll('/forge ', `${slash} `) };
  if (error instanceof ApiError) return ofApi(error, slash, absent);
  const name = reference();
  log.error({ err: error, reference: name, command: command?.name }, 'a defect');
  const what = command === undefined ? 'That' : `${slash} ${command.name}`;
  return {
    says: `${what} failed because of a mistake in Bellows, not yours.`,
    next: 'Give this reference to whoever runs Bellows.',
    reference: name,
  };
}

const shortReference = () => randomBytes(4).toString('hex');

export function explain(error: unknown, circumstances: Circumstances): Message {
  if (error instanceof MessageError) return error.shown;
  const found = explanation(error, circumstances);
  const text = [found.says, found.next, found.attempt && `Try: ${found.attempt}`, found.reference];
  return message({ text: text.filter(Boolean).join(' '), blocks: failureCard(found) });
}
