import { randomBytes } from 'node:crypto';
import { asCode, UserError } from '../errors.js';
import { type Api, ApiError, describe, isOperationName, mayHaveHappened } from '../forge/index.js';
import { isAbsent } from '../forge/possible.js';
import type { Log } from '../log.js';
import { property } from '../property.js';
import { type Failure, failureCard } from '../view/cards/outcome.js';
import { type Message, message } from '../view/message.js';
import { describeElapsed } from '../view/when.js';
import type { AnyCommand } from './command.js';
import type { Field, LookUp } from './fields.js';
import { MessageError } from './message-error.js';
import { describeOperation } from './operation-words.js';
import { fullName, repositoryIn } from './references.js';
import { fieldsOf } from './usage.js';

export interface Circumstances {
  readonly command?: AnyCommand | undefined;
  /** `/forge` */
  readonly slash: string;
  readonly log: Log;
  /** Identifies a defect in the log. */
  readonly reference?: () => string;
  /** Bellows checked: the write is not there. */
  readonly absent?: boolean;
}

/** The failure as plain text, for places that cannot show a message. */
export type Explanation = Failure & { readonly says: string; readonly next?: string | undefined };

type Words = Pick<Explanation, 'says' | 'next' | 'attempt'>;

const wait = 'Try again in a minute. If this continues, ask your forge admin.';

/** Who can grant what was refused. */
function granterOf(operation: string): string {
  if (operation.startsWith('admin.')) return 'Ask a site admin of the forge to run it';
  return operation === 'repos.createInOrg' || operation === 'repos.migrate'
    ? 'Ask an owner of the organization for access'
    : 'Ask a repository owner for access';
}

/** For what the forge would refuse; scopes are checked by themselves. */
export const noRight = (operation: string): UserError =>
  new UserError(`You don’t have permission to ${describeOperation(operation)}. ${granterOf(operation)}.`);

function wordsOf({ kind, operation, neverSent }: ApiError, slash: string): Words {
  const action = describeOperation(operation);
  switch (kind) {
    case 'unauthorized':
      return {
        says: 'Your forge token no longer works.',
        next: 'Link your account again.',
        attempt: `${slash} signin`,
      };
    case 'forbidden':
      return {
        says: `You don’t have permission to ${action}.`,
        next: `${granterOf(operation)}, or check the scopes of your token.`,
      };
    case 'notFound':
      return {
        says: `Could not ${action}: it does not exist, or you cannot see it.`,
        next: 'Check the names and numbers.',
      };
    case 'conflict':
      return {
        says: `Could not ${action}: it changed since you last saw it.`,
        next: 'Check its current state, then try again.',
      };
    case 'invalid':
      return {
        says: neverSent ? `Could not ${action}.` : `Could not ${action}: the forge rejected one of the values.`,
        next: 'Check the values and try again.',
      };
    case 'archived':
      return { says: `Could not ${action}: the repository is archived.`, next: 'Ask an owner to unarchive it.' };
    case 'empty':
      return { says: `Could not ${action}: the repository is empty.`, next: 'Push a first commit, then try again.' };
    case 'exists':
      return {
        says: `Could not ${action}: it already exists.`,
        next: 'Choose another name, or use the existing one.',
      };
    case 'blocked':
      return {
        says: `Could not ${action}: open issues are blocking it.`,
        next: 'Close the blocking issues first, or remove the dependency.',
      };
    case 'rejected':
      return {
        says: `Could not ${action}: the forge rejected it.`,
        next: 'Open it on the forge to see which rule applies.',
      };
    case 'unavailable':
      return { says: `Could not ${action}: the forge is unavailable.`, next: wait };
    case 'timeout':
      return { says: `Could not ${action}: the forge took too long to respond.`, next: wait };
  }
}

function ofApi(error: ApiError, { slash, absent = false }: Circumstances): Words {
  if (error.unsupported)
    return {
      says: `Could not ${describeOperation(error.operation)}: this server does not support it.`,
      next: error.hint,
    };
  const words = wordsOf(error, slash);
  const server = error.serverMessage.replaceAll('`', 'ˋ').trim().slice(0, 300);
  const says = server === '' ? words.says : `${words.says}\nThe forge answered: ${server}`;
  const next = [error.hint, absent ? nothingDone(error) : unsureOf(error)].filter(Boolean).join(' ');
  return { ...words, says, next: next || words.next };
}

interface Placed extends LookUp {
  readonly order: number;
  readonly field: string;
}

/** Fields whose text is a branch, tag or commit. */
const refFields: ReadonlySet<string> = new Set(['branch', 'base', 'ref', 'without']);

const kindOfItem = ({ input }: Field) => {
  if (input.kind !== 'external' || input.source === 'items') return 'issue or pull request';
  return input.source.endsWith('pulls') ? 'pull request' : 'issue';
};

/** What each name of a command may be asked for: first the repositories, then what is in them, then people. */
function lookUpsIn(command: AnyCommand, args: Readonly<Record<string, unknown>>): Placed[] {
  const about = repositoryIn(args);
  const all = fieldsOf(command).flatMap(([field, defined]): Placed[] => {
    const value = args[field];
    const own =
      value === undefined ? [] : (defined.lookUps?.(value) ?? []).map((each) => ({ ...each, order: 2, field }));
    const at = repositoryIn({ value });
    if (at) {
      const { owner, repo } = at;
      const index = property(value, 'index');
      const run = property(value, 'run');
      const isPull = kindOfItem(defined) === 'pull request';
      const says = `I can’t find ${fullName(at)}, or you don’t have access to it.`;
      const found: Placed[] = [...own, { order: 1, field, says, ask: (api) => api.repos.get({ owner, repo }) }];
      if (typeof index === 'number')
        found.push({
          order: 2,
          field,
          says: `I can’t find ${kindOfItem(defined)} #${index} in ${fullName(at)}.`,
          ask: (api) => (isPull ? api.pulls : api.issues).get({ owner, repo, index }),
        });
      if (typeof run === 'number')
        found.push({
          order: 2,
          field,
          says: `I can’t find run ${property(value, 'number') ?? run} in ${fullName(at)}.`,
          ask: (api) => api.runs.get({ owner, repo, run }),
        });
      return found;
    }
    if (about && refFields.has(field) && typeof value === 'string') {
      const { owner, repo } = about;
      const kind = defined.input.kind === 'external' ? 'branch' : defined.label.toLowerCase();
      const says = `There is no ${kind} ${asCode(value)} in ${fullName(about)}.`;
      return [
        {
          order: 3,
          field,
          says,
          ask: (api) => api.repos.listCommits({ owner, repo, query: { sha: value, limit: 1 } }),
        },
      ];
    }
    if (defined.input.kind !== 'external' || defined.input.source !== 'people') return own;
    return [value].flat().flatMap((username) => {
      if (typeof username !== 'string') return [];
      const says = `I can’t find ${username} on the forge. Check the login.`;
      return [{ order: 4, field, says, ask: (api: Api) => api.users.get({ username }) }];
    });
  });
  return all.sort((a, b) => a.order - b.order);
}

interface Named {
  readonly command: AnyCommand;
  /** Resolved. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The person's own. */
  readonly api: Api;
}

/** After a 404: the first of the command's names that does not exist; the error itself if all do, or nobody can tell. */
export async function findMissing(error: unknown, { command, args, api }: Named): Promise<unknown> {
  if (!isAbsent(error)) return error;
  for (const { says, field, ask } of lookUpsIn(command, args)) {
    try {
      await ask(api);
    } catch (refused) {
      if (isAbsent(refused)) return new UserError(says, { field, cause: error });
      if (!(refused instanceof ApiError)) throw refused;
    }
  }
  return error;
}

export const isWrite = ({ operation }: Pick<ApiError, 'operation'>) =>
  isOperationName(operation) && describe(operation).effect !== 'read';

/** A write without an answer: nobody can say that it failed. */
export const mayHaveWorked = (error: unknown): boolean =>
  error instanceof ApiError && isWrite(error) && mayHaveHappened(error);

function unsureOf(error: ApiError): string | undefined {
  const again =
    error.retryAfter === undefined ? undefined : `Try again in ${describeElapsed(error.retryAfter * 1_000)}.`;
  // A hint that knows when to retry says so itself.
  if (error.neverSent && error.hint !== undefined) return undefined;
  if (mayHaveWorked(error)) return 'It may have worked anyway: check the forge before you try again.';
  return again ?? (isWrite(error) && error.neverSent ? 'Nothing was sent. Try again in a minute.' : undefined);
}

const nothingDone = (error: ApiError) => (mayHaveWorked(error) ? 'Bellows checked: nothing was changed.' : undefined);

/** Sentences are written with the default name of the slash command. */
export const inWords = ({ message }: UserError, slash: string): string => message.replaceAll('/forge ', `${slash} `);

/** Next to a form's field, where Slack formats nothing. */
export const plainWords = (error: UserError, slash: string): string => inWords(error, slash).replaceAll('`', '');

/** Three kinds of failure: a sentence shown unchanged, the forge's answer in words, and a defect as a reference only. */
export function explanation(error: unknown, circumstances: Circumstances): Explanation {
  const { command, slash, log, reference = shortReference } = circumstances;
  if (error instanceof UserError) return { says: inWords(error, slash) };
  if (error instanceof ApiError) return ofApi(error, circumstances);
  const name = reference();
  log.error({ err: error, reference: name, command: command?.name }, 'a defect');
  const what = command === undefined ? 'That' : `${slash} ${command.name}`;
  return {
    says: `${what} failed because of a bug in Bellows.`,
    next: 'Report this reference to your Bellows admin.',
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
