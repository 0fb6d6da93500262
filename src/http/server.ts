import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';

/** How much each path takes; nothing else expects a body. */
const mostBytes: Readonly<Record<string, number>> = {
  '/slack/events': 1_000_000,
  '/hooks/forge': 4_000_000,
  // a long comment with some margin
  '/mcp': 200_000,
};
const mostElsewhere = 16_000;
/** For all bodies together that nobody has verified yet. */
const budgetBytes = 32_000_000;

interface Upload {
  held: number;
  end(status: number, reason: string): void;
}

/** Reads bodies before anything handles their requests, as `rawBody`: both Bolt and Hono take it from there. */
function createBodies() {
  const unfinished = new Set<Upload>();
  let held = 0;

  /** Room for more: the largest unfinished one makes way, so strangers cannot keep small requests out. */
  function makeRoom(): void {
    while (held > budgetBytes && unfinished.size > 0) {
      const [most] = [...unfinished].sort((one, other) => other.held - one.held);
      most?.end(503, 'busy, try again');
    }
  }

  /** Calls `then` once the body is there; otherwise answers and closes the connection without reading the rest. */
  return function readBody(request: IncomingMessage, response: ServerResponse, then: () => void): void {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    if (chunked === undefined && Number(length ?? 0) === 0) {
      then();
      return;
    }
    const most = mostBytes[request.url?.split('?')[0] ?? ''] ?? mostElsewhere;
    const parts: Buffer[] = [];
    const upload: Upload = {
      held: 0,
      end(status, reason) {
        unfinished.delete(upload);
        request.off('data', take).off('end', finish).pause();
        release();
        response.once('finish', () => request.destroy());
        response.writeHead(status, { connection: 'close', 'content-type': 'text/plain' }).end(`${reason}\n`);
      },
    };
    const release = () => {
      held -= upload.held;
      upload.held = 0;
      parts.length = 0;
    };
    const take = (part: Buffer) => {
      parts.push(part);
      upload.held += part.length;
      held += part.length;
      if (upload.held > most) upload.end(413, 'too large');
      else makeRoom();
    };
    const finish = () => {
      unfinished.delete(upload);
      Object.assign(request, { rawBody: Buffer.concat(parts) });
      then();
    };
    response.once('close', () => {
      unfinished.delete(upload);
      release();
    });
    if (Number(length ?? 0) > most) {
      upload.end(413, 'too large');
      return;
    }
    unfinished.add(upload);
    request.on('data', take).once('end', finish);
  };
}

export function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** HTTP mode: Bolt's own listener, mounted at /slack/events. */
  readonly slack?: RequestListener | undefined;
  /** Throws with the reason while not ready. */
  readonly ready?: (() => Promise<void>) | undefined;
  readonly metrics?: (() => Promise<{ readonly text: string; readonly type: string }>) | undefined;
  /** Further routes: the forge's webhook, the queue dashboard. */
  readonly routes?: ((app: Hono) => void) | undefined;
}

export interface Served {
  readonly address: string;
  stop(): Promise<void>;
}

/** Far more than Slack, a forge and people need; a connection that sends nothing is closed soon. */
const mostConnections = 1_000;
const limits = { headersTimeout: 5_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** One small server: health, metrics, and external endpoints if a port is open. */
export async function serve(options: ServeOptions): Promise<Served> {
  const app = new Hono();
  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    try {
      await options.ready?.();
      return context.text('ready\n');
    } catch (error) {
      return context.text(`not ready: ${reasonOf(error)}\n`, 503);
    }
  });
  const { metrics } = options;
  if (metrics) {
    app.get('/metrics', async (context) => {
      const { text, type } = await metrics();
      return context.body(text, 200, { 'content-type': type });
    });
  }
  options.routes?.(app);
  const ours = getRequestListener(app.fetch);
  const readBody = createBodies();
  const server = createServer(limits, (request, response) => {
    // another answer has to go first: what waits behind it is under no budget, and only strangers send like that
    if (response.socket === null) {
      request.socket.destroy();
      return;
    }
    readBody(request, response, () => {
      const { slack } = options;
      if (slack && request.url?.split('?')[0] === '/slack/events') slack(request, response);
      else void ours(request, response);
    });
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  // A TCP server's address is never a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
