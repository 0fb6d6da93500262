import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Config } from '../config.js';
import { clientOptions } from './client.js';
import { platformError, transientCodes } from './platform-error.js';

/** How long a socket may be silent before it is replaced, and also the gap until the new one is open. */
const silencesMs = [1_000, 5_000];
const longestGapMs = 30_000;

/** Slack sends through either socket, so nothing is lost while one is replaced; a short stall of ours ends only the first. */
export function createSockets(slack: Config['slack'], appToken: string, logger: Logger) {
  const sockets = silencesMs.map((silenceMs) => createSocket(slack, appToken, logger, silenceMs));
  const receiver: Receiver = {
    init(app) {
      for (const socket of sockets) socket.init(app);
    },
    // one is enough: Slack permits ten in all, and other bots may have the rest
    start: () => Promise.race(sockets.map((socket) => socket.start())),
    stop: () => Promise.all(sockets.map((socket) => socket.stop())),
  };
  return { receiver, connected: () => sockets.some((socket) => socket.isOpen()) };
}

/** Opened again whatever ended it, until it is stopped. The library would end the process if Slack refuses it then. */
function createSocket(slack: Config['slack'], appToken: string, logger: Logger, silenceMs: number) {
  const socket = new SocketModeReceiver({
    appToken,
    logger,
    clientPingTimeout: silenceMs,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(slack) },
  });
  const { client } = socket;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function stayOpen(opened: () => void, refused: (error: unknown) => void): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await client.start();
        // stopped while Slack was asked for an address
        if (signal.aborted) return await client.disconnect();
        opened();
        failures = 0;
        await new Promise((lost) => client.once('disconnected', lost));
      } catch (error) {
        // the library has logged it
        if (isRefusal(error)) refused(error);
      }
      failures += 1;
      await pause(Math.min(longestGapMs, failures * silenceMs), undefined, { signal }).catch(() => {});
    }
  }

  return {
    init: socket.init.bind(socket),
    /** Resolves when it is first open; rejects if Slack refuses the token before that. */
    start: () => new Promise<void>((opened, refused) => void stayOpen(opened, refused)),
    async stop() {
      stopping.abort();
      await socket.stop();
    },
    isOpen: () => client.websocket?.isActive() ?? false,
  };
}

function isRefusal(error: unknown): boolean {
  const code = platformError(error);
  return code !== undefined && !transientCodes.has(code);
}
