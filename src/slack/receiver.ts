import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPReceiver, type Logger, LogLevel, type Receiver } from '@slack/bolt';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { createSockets } from './sockets.js';

/** The path of our own server for Slack. */
const slackPath = '/slack/events';
const mostBytes = 1_000_000;

/** Bolt's receiver, to be mounted on our own server. @internal Tests send to it directly. */
export const createHttpReceiver = (signingSecret: string, logger: Logger): HTTPReceiver =>
  new HTTPReceiver({ signingSecret, logger, endpoints: slackPath, bodyLimit: mostBytes });

/** A body that was not read completely closes its connection, so that nothing of it is read later. @internal */
export function mounted({ requestListener }: HTTPReceiver): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => {
      if (!request.complete) request.destroy();
    });
    if (request.method === 'POST') requestListener(request, response);
    else response.writeHead(404).end();
  };
}

/** How Slack reaches us: by HTTP with a public address, or else by our own sockets. */
interface Reception {
  readonly receiver: Receiver;
  /** HTTP mode: to be mounted at /slack/events. */
  readonly listener: RequestListener | undefined;
  /** Whether Slack can reach us now. */
  connected(): boolean;
}

export function createReception(slack: Config['slack'], logger: Logger): Reception {
  if (slack.mode.kind === 'socket')
    return { ...createSockets(slack, slack.mode.appToken, logger), listener: undefined };
  const receiver = createHttpReceiver(slack.mode.signingSecret, logger);
  return { receiver, listener: mounted(receiver), connected: () => true };
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
