import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { createBodies } from './body.js';

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
  const server = createServer(limits, (request, response) =>
    readBody(request, response, () => {
      const { slack } = options;
      if (slack && request.url?.split('?')[0] === '/slack/events') slack(request, response);
      else void ours(request, response);
    }),
  );
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
