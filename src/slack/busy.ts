import { ErrorCode } from '@slack/web-api';
import { UserError } from '../errors.js';
import { elapsed } from '../view/when.js';
import { platformError, transientCodes } from './platform-error.js';

const unanswered: ReadonlySet<unknown> = new Set([ErrorCode.HTTPError, ErrorCode.RequestError]);

/** A sentence for the person if Slack is busy or down; undefined for other failures. */
export function busy(error: unknown, so?: string): UserError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const therefore = so === undefined ? '' : `, so ${so}`;
  const says = (what: string, when: string) =>
    new UserError(`Slack ${what}${therefore}. Try again in ${when}.`, { cause: error });
  if (code === ErrorCode.RateLimitedError) return says('is busy', waitOf(error));
  const word = platformError(error);
  if (word !== undefined) return transientCodes.has(word) ? says('is busy', 'a moment') : undefined;
  return unanswered.has(code) ? says('is not responding', 'a moment') : undefined;
}

function waitOf(error: unknown): string {
  const seconds = error instanceof Error && 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
  return seconds > 0 ? elapsed(seconds * 1_000) : 'a moment';
}
