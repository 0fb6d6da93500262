import { ErrorCode } from '@slack/web-api';
import { request } from 'undici';
import type { Message } from '../view/message.js';
import { platformError, transientCodes } from './platform-error.js';

const timeoutMs = 10_000;

/** Slack did not take it now; it may later. */
export class Away extends Error {
  override readonly name = 'Away';
}

/** Answers at the address that came with a command or click. */
export const byUrl = (url: string, message: Message, replace: boolean): Promise<void> =>
  send(url, { ...message, replace_original: replace, response_type: 'ephemeral' });

async function send(url: string, body: object): Promise<void> {
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const response = await sent.catch((error: unknown) => {
    throw new Away(String(error));
  });
  await response.body.dump();
  const { statusCode } = response;
  if (statusCode >= 500 || statusCode === 429) throw new Away(`status ${statusCode}`);
  if (statusCode >= 300) throw new Error(`status ${statusCode}`);
}

const awayCodes: ReadonlySet<unknown> = new Set([
  ErrorCode.RateLimitedError,
  ErrorCode.HTTPError,
  ErrorCode.RequestError,
]);

export function isAway(error: unknown): boolean {
  if (error instanceof Away) return true;
  const said = platformError(error);
  if (said !== undefined) return transientCodes.has(said);
  return error instanceof Error && 'code' in error && awayCodes.has(error.code);
}
