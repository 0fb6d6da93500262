import type { Obj } from './json.js';
import { type Issue, worded } from './rules/check.js';

/** An answer with `ok: false` and Slack's error code. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly error: string;
  readonly extra: Obj;

  constructor(error: string, extra: Obj = {}) {
    super(error);
    this.error = error;
    this.extra = extra;
  }
}

export const withIssues = (error: string, issues: readonly Issue[]): SlackError =>
  new SlackError(error, {
    ...(error === 'invalid_blocks' ? { errors: issues.map(pointed) } : {}),
    response_metadata: { messages: issues.map(worded) },
  });

const pointed = ({ message, pointer }: Issue): string => `${message} [json-pointer:${pointer}]`;
