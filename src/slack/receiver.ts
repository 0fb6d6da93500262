import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPModuleFunctions, HTTPReceiver, type Logger, LogLevel, type Receiver } from '@slack/bolt';
import { z } from 'zod';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { createSockets } from './sockets.js';

/** The path of our own server for Slack. */
const slackPath = '/slack/events';
/** How far Slack's clock and ours may differ. */
const mostSecondsApart = 300;

/** Bolt's receiver, to be mounted on our own server. @internal Tests send to it directly. */
export const createHttpReceiver = (signingSecret: string, logger: Logger): HTTPReceiver =>
  new HTTPReceiver({ signingSecret, logger, endpoints: slackPath });

/** Of a request that Bolt can handle; anything else would be thrown where nobody catches it. */
const Body = z.looseObject({ event: z.looseObject({ type: z.string() }).optional() });

/** What Bolt does not check: times in the future, and the shape of what is signed. @internal */
export function mounted({ requestListener }: HTTPReceiver, signingSecret: string, log: Log): RequestListener {
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number) => void response.writeHead(status).end();
    if (request.method !== 'POST') return refuse(404);
    const stamp = request.headers['x-slack-request-timestamp'];
    if (stamp !== undefined && !isRecent(stamp)) return refuse(401);
    try {
      const verified = await HTTPModuleFunctions.parseAndVerifyHTTPRequest({ enabled: true, signingSecret }, request);
      if (Body.safeParse(HTTPModuleFunctions.parseHTTPRequestBody(verified)).success)
        return requestListener(request, response);
    } catch {
      // a wrong signature or unreadable text: Bolt says which
      return requestListener(request, response);
    }
    log.warn({ reason: 'shape' }, 'refused a request from Slack');
    return refuse(400);
  }
  return (request, response) => void take(request, response);
}

const isRecent = (stamp: string | string[]) =>
  /^\d{10}$/.test(String(stamp)) && Math.abs(Date.now() / 1_000 - Number(stamp)) <= mostSecondsApart;

/** How Slack reaches us: by HTTP with a public address, or else by our own sockets. */
interface Reception {
  readonly receiver: Receiver;
  /** HTTP mode: to be mounted at /slack/events. */
  readonly listener: RequestListener | undefined;
  /** Whether Slack can reach us now. */
  connected(): boolean;
}

export function createReception(slack: Config['slack'], log: Log): Reception {
  const logger = boltLogger(log);
  if (slack.mode.kind === 'socket')
    return { ...createSockets(slack, slack.mode.appToken, logger), listener: undefined };
  const receiver = createHttpReceiver(slack.mode.signingSecret, logger);
  return { receiver, listener: mounted(receiver, slack.mode.signingSecret, log), connected: () => true };
}

export function boltLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  const say =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      child[level](parts.map(String).join(' '));
  return {
    // Bolt's debug lines contain whole payloads, including what people type into sign-in forms.
    debug() {},
    info: say('debug'),
    warn: say('warn'),
    error: say('error'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}
