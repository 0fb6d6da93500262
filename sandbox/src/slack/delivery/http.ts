import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { isObj, type Json, type Obj, parseJson } from '../json.js';
import type { Ack } from '../records.js';
import type { Forgery, Outgoing, Road } from './road.js';

/** Signs like Slack. */
export const sign = (secret: string, timestamp: number, body: string): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;

const formValue = (value: Json | undefined): string =>
  typeof value === 'object' || value === undefined ? JSON.stringify(value ?? '') : String(value);

function encode({ type, payload }: Outgoing): { body: string; contentType: string } {
  if (type === 'events_api') return { body: JSON.stringify(payload), contentType: 'application/json' };
  const fields: Record<string, string> =
    type === 'slash_commands'
      ? Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, formValue(value)]))
      : { payload: JSON.stringify(payload) };
  return { body: new URLSearchParams(fields).toString(), contentType: 'application/x-www-form-urlencoded' };
}

interface Answered {
  status: number;
  text: string;
  isJson: boolean;
  noRetry: boolean;
}

/** Signed requests to the app's address, as Slack sends them. */
export class HttpRoad implements Road {
  requestUrl: string | undefined;
  readonly #secret: string;
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ connections: 50 });
  readonly #closing = new AbortController();

  constructor(secret: string, timeoutMs: number, requestUrl: string | undefined) {
    this.#secret = secret;
    this.#timeoutMs = timeoutMs;
    this.requestUrl = requestUrl;
  }

  async send(outgoing: Outgoing): Promise<Ack> {
    const { body, contentType } = encode(outgoing);
    const retry =
      outgoing.attempt === 0
        ? {}
        : { 'x-slack-retry-num': String(outgoing.attempt), 'x-slack-retry-reason': outgoing.reason };
    const began = performance.now();
    const answer = await this.#post(body, { 'content-type': contentType, ...retry }, outgoing.forged);
    if ('outcome' in answer) return answer;
    const { status, text, isJson, noRetry } = answer;
    if (status < 200 || status > 299) return { outcome: 'http_error', status, noRetry };
    const tookMs = performance.now() - began;
    if (text.trim() === '') return { outcome: 'acked', payload: undefined, tookMs };
    return { outcome: 'acked', payload: isJson ? parseJson(text) : { text }, tookMs };
  }

  /** The handshake with which Slack verifies a request URL. */
  async verify(): Promise<boolean> {
    const challenge = createHmac('sha256', this.#secret).update('challenge').digest('hex');
    const payload: Obj = { token: 'sandbox', challenge, type: 'url_verification' };
    const answer = await this.#post(JSON.stringify(payload), { 'content-type': 'application/json' });
    if ('outcome' in answer || answer.status !== 200) return false;
    const parsed = parseJson(answer.text);
    return (isObj(parsed) ? parsed['challenge'] : answer.text) === challenge;
  }

  async #post(body: string, headers: Record<string, string>, forged: Forgery = {}): Promise<Answered | Ack> {
    if (this.requestUrl === undefined) return { outcome: 'dispatch_failed', detail: 'no request URL is set' };
    // signed by the wall clock, which is the one the receiver compares with
    const timestamp = forged.timestamp ?? Math.floor(Date.now() / 1000);
    const signature = sign(forged.signingSecret ?? this.#secret, timestamp, body);
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await request(this.requestUrl, {
        method: 'POST',
        body,
        headers: {
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          ...(forged.unsigned ? {} : { 'x-slack-signature': signature }),
          'x-slack-request-timestamp': String(timestamp),
          ...headers,
        },
        signal: AbortSignal.any([timeout, this.#closing.signal]),
        dispatcher: this.#agent,
      });
      const text = await response.body.text();
      const isJson = /json/.test(String(response.headers['content-type']));
      return { status: response.statusCode, text, isJson, noRetry: response.headers['x-slack-no-retry'] === '1' };
    } catch (error) {
      if (timeout.aborted) return { outcome: 'operation_timeout' };
      return { outcome: 'dispatch_failed', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }
}
