import { Readable } from 'node:stream';
import { ErrorCode } from '@slack/web-api';
import { request } from 'undici';
import type { Message } from '../view/message.js';
import { platformError, transientCodes } from './platform-error.js';

const timeoutMs = 10_000;

/** Slack did not take it now; it may later. */
export class Away extends Error {
  override readonly name = 'Away';
}

/** Answers at the address that came with a command or click; `left` is called once Slack has all of it, whatever happens here then. */
export const byUrl = (url: string, message: Message, replace: boolean, left?: () => void): Promise<void> =>
  send(url, { ...message, replace_original: replace, response_type: 'ephemeral' }, left);

async function send(url: string, content: object, left: () => void = () => {}): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(content));
  async function* body() {
    yield bytes;
    left();
  }
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const response = await request(url, { method: 'POST', headers, body: Readable.from(body()), ...timeouts }).catch(
    (error: unknown) => {
      throw new Away(String(error));
    },
  );
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
