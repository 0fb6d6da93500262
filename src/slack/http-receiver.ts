import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { AckFn, App, Receiver } from '@slack/bolt';
import type { Log } from '../log.js';

export interface HttpReceiverOptions {
  readonly signingSecret: string;
  readonly log: Log;
  /** Slash commands are most of what comes and need nothing of Bolt's context: answered here, before it is made. */
  readonly onCommand?: (body: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

const mostBytes = 1_000_000;
/** Older or newer than this, a signature may have been recorded by somebody. */
const toleranceSeconds = 300;
/** Slack gives up after three seconds; nobody answers later. */
const patienceMs = 3_000;

/** Bolt's door over HTTP: verify, read, hand over, acknowledge once. One hash per request and nothing kept. */
export class HttpReceiver implements Receiver {
  readonly requestListener: RequestListener;
  #app: App | undefined;
  readonly #options: HttpReceiverOptions;
  readonly #secret: KeyObject;

  constructor(options: HttpReceiverOptions) {
    this.#options = options;
    this.#secret = createSecretKey(Buffer.from(options.signingSecret));
    this.requestListener = (request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        options.log.error(
          { reason: error instanceof Error ? error.message : 'unknown' },
          'a request from Slack failed',
        );
        answer(response, 500);
      });
    };
  }

  init(app: App): void {
    this.#app = app;
  }

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return answer(response, 404);
    const raw = await read(request);
    if (raw === undefined) return cutOff(request, response);
    if (!isSigned(request, raw, this.#secret, this.#options.now?.() ?? Date.now() / 1000)) {
      // Slack's certificate probe carries no signature and asks for nothing.
      const probe = raw === 'ssl_check=1' || /(?:^|&)ssl_check=1(?:&|$)/.test(raw);
      if (!probe) this.#options.log.warn('refused a request whose signature is wrong or old');
      return answer(response, probe ? 200 : 401);
    }
    const body = bodyOf(request, raw);
    if (body === undefined) return answer(response, 400);
    if (body['type'] === 'url_verification') return answer(response, 200, { challenge: body['challenge'] });
    const { onCommand } = this.#options;
    if (onCommand && typeof body['command'] === 'string') return answer(response, 200, await onCommand(body));
    await this.#handOver(request, response, body);
  }

  async #handOver(request: IncomingMessage, response: ServerResponse, body: Record<string, unknown>): Promise<void> {
    const late = setTimeout(() => answer(response, 404), patienceMs);
    const ack: AckFn<unknown> = async (payload) => {
      clearTimeout(late);
      answer(response, 200, payload);
    };
    try {
      const retry = Number(request.headers['x-slack-retry-num']);
      const reason = request.headers['x-slack-retry-reason'];
      await this.#app?.processEvent({
        body,
        ack,
        ...(Number.isInteger(retry) ? { retryNum: retry } : {}),
        ...(typeof reason === 'string' ? { retryReason: reason } : {}),
      });
    } catch (error) {
      clearTimeout(late);
      this.#options.log.warn(
        { reason: error instanceof Error ? error.message : 'unknown' },
        'refused a request from Slack',
      );
      answer(response, 401);
    }
  }
}

/** Undefined when it is too large. Listeners, because an async iterator costs more than the rest of the reading. */
function read(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= mostBytes) parts.push(part);
      else tooLarge();
    });
    const tooLarge = () => {
      request.removeAllListeners('data').pause();
      resolve(undefined);
    };
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) tooLarge();
    request.on('end', () =>
      resolve((parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString('utf8')),
    );
    request.on('error', reject);
  });
}

/** What is too large is not read to its end: once the answer is out, the connection ends. */
function cutOff(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => request.destroy());
  response.writeHead(413, { 'content-length': 0, connection: 'close' }).end();
}

function isSigned({ headers }: IncomingMessage, raw: string, secret: KeyObject, now: number): boolean {
  const signature = headers['x-slack-signature'];
  const timestamp = headers['x-slack-request-timestamp'];
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/.test(signature)) return false;
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp)) > toleranceSeconds) return false;
  const wanted = createHmac('sha256', secret).update(`v0:${timestamp}:${raw}`).digest();
  return timingSafeEqual(wanted, Buffer.from(signature.slice(3), 'hex'));
}

/** Forms carry commands, or an interaction as JSON in their `payload`; events are JSON. */
function bodyOf(request: IncomingMessage, raw: string): Record<string, unknown> | undefined {
  try {
    if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      return object(JSON.parse(raw));
    const form = parse(raw);
    return typeof form['payload'] === 'string' ? object(JSON.parse(form['payload'])) : form;
  } catch {
    return undefined;
  }
}

const object = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;

function answer(response: ServerResponse, status: number, payload?: unknown): void {
  if (response.headersSent || response.destroyed) return;
  if (payload === undefined || payload === '') {
    response.writeHead(status, { 'content-length': 0 }).end();
    return;
  }
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const type = typeof payload === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}
