import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { clientOptions } from './client.js';

/** The path of our own server for Slack. */
const slackPath = '/slack/events';
const mostBytes = 1_000_000;

/** Bolt's receiver, to be mounted on our own server. @internal Tests send to it directly. */
export const createHttpReceiver = (signingSecret: string, logger: Logger): HTTPReceiver =>
  new HTTPReceiver({ signingSecret, logger, endpoints: slackPath, bodyLimit: mostBytes });

/** A body that was not read completely closes its connection, so that nothing of it is read later. */
export function mounted({ requestListener }: HTTPReceiver): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => {
      if (!request.complete) request.destroy();
    });
    if (request.method === 'POST') requestListener(request, response);
    else response.writeHead(404).end();
  };
}

/** How Slack reaches us: by HTTP with a public address, or else by our own socket. */
export function createReceiver(slack: Config['slack'], logger: Logger): HTTPReceiver | SocketModeReceiver {
  if (slack.mode.kind === 'http') return createHttpReceiver(slack.mode.signingSecret, logger);
  return new SocketModeReceiver({
    appToken: slack.mode.appToken,
    logger,
    // The reconnect gap equals this timeout; five seconds of silence would lose triggers.
    clientPingTimeout: 1_000,
    installerOptions: { clientOptions: { ...clientOptions(slack), retryConfig: { retries: 100, factor: 1.3 } } },
  });
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
