import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPReceiver, type Logger, LogLevel, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { clientOptions } from './client.js';

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
  if (slack.mode.kind === 'socket') return createSockets(slack, slack.mode.appToken, logger);
  const receiver = createHttpReceiver(slack.mode.signingSecret, logger);
  return { receiver, listener: mounted(receiver), connected: () => true };
}

/** How long a socket may be silent before it is replaced, and also the gap until the new one is open. */
const silencesMs = [1_000, 5_000];

/** Slack sends through either socket, so nothing is lost while one is replaced; a short stall of ours ends only the first. */
function createSockets(slack: Config['slack'], appToken: string, logger: Logger): Reception {
  const installerOptions = { clientOptions: { ...clientOptions(slack), retryConfig: { retries: 100, factor: 1.3 } } };
  const sockets = silencesMs.map(
    (clientPingTimeout) => new SocketModeReceiver({ appToken, logger, clientPingTimeout, installerOptions }),
  );
  const receiver: Receiver = {
    init(app) {
      for (const socket of sockets) socket.init(app);
    },
    start: () => Promise.all(sockets.map((socket) => socket.start())),
    stop: () => Promise.all(sockets.map((socket) => socket.stop())),
  };
  return { receiver, listener: undefined, connected: () => sockets.some(isOpen) };
}

const isOpen = ({ client }: SocketModeReceiver): boolean => client.websocket?.isActive() ?? false;

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
