import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { answer as answerWith } from './answer.js';
import type { Core } from './core.js';
import { isObj, type Obj, parseJson } from './json.js';
import { acknowledged } from './methods/unfurl.js';
import { SlackError } from './slack-error.js';
import { callMethod, type Outcome, recorded } from './web-api.js';

const bodyLimit = 4 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > bodyLimit) throw new SlackError('request_too_large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function bodyOf(request: IncomingMessage, body: string): Obj {
  if (!/json/.test(request.headers['content-type'] ?? '')) return Object.fromEntries(new URLSearchParams(body));
  const parsed = parseJson(body);
  if (!isObj(parsed)) throw new SlackError('invalid_json');
  return parsed;
}

function basic(header: string | undefined): Obj {
  const encoded = /^Basic (.+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return {};
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return { client_id: id, client_secret: secret.join(':') };
}

async function route(core: Core, request: IncomingMessage): Promise<Outcome> {
  const url = new URL(request.url ?? '/', core.url);
  try {
    const body = bodyOf(request, await readBody(request));
    const method = /^\/api\/([\w.]+)$/.exec(url.pathname)?.[1];
    if (method !== undefined) {
      const header = request.headers.authorization;
      // Slack takes arguments from the query as well as from the body
      const args = { ...basic(header), ...Object.fromEntries(url.searchParams), ...body };
      if (method === 'chat.unfurl') await acknowledged(core, args);
      return callMethod(core, method, args, { header, body });
    }
    if (request.method === 'POST' && core.responseUrls.knows(url.pathname)) {
      return respond(core, url.pathname, body);
    }
    return { kind: 'answer', status: 404, body: { ok: false, error: 'not_found' } };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return { kind: 'answer', status: 200, body: { ok: false, error: error.error } };
  }
}

const gone = new Set(['used_url', 'expired_url', 'invalid_url']);

function respond(core: Core, path: string, body: Obj): Outcome {
  return recorded(core, 'response_url', body, 'none', () => {
    try {
      core.responseUrls.use(path, (to) => answerWith(core, to, body));
      return { kind: 'answer', status: 200, body: { ok: true } };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      const result = { ok: false, error: error.error, ...error.extra };
      return { kind: 'answer', status: gone.has(error.error) ? 404 : 400, body: result };
    }
  });
}

async function answer(outcome: Outcome, response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (outcome.kind === 'none') return;
  if (outcome.kind === 'drop') {
    response.destroy();
    return;
  }
  if (outcome.delayMs !== undefined) await wait(outcome.delayMs, undefined, { signal, ref: false }).catch(() => {});
  response.writeHead(outcome.status, { 'content-type': 'application/json; charset=utf-8', ...outcome.headers });
  response.end(JSON.stringify(outcome.body));
}

export interface Listening {
  server: Server;
  url: string;
  serve(core: Core): void;
  close(): Promise<void>;
}

/** Listens before the core exists, because the core needs its own address. */
export async function listen(host: string, port: number): Promise<Listening> {
  const server = createServer();
  const stopping = new AbortController();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  // a listening TCP server has an AddressInfo, never a pipe name
  const { port: bound } = server.address() as AddressInfo;
  return {
    server,
    url: `http://${host}:${bound}`,
    serve: (core) => {
      server.on('request', (request, response) => {
        route(core, request)
          .then((outcome) => answer(outcome, response, stopping.signal))
          .catch((error: unknown) => {
            core.failures.note('protocol', `the sandbox itself failed: ${String(error)}`);
            response.destroy();
          });
      });
    },
    close: async () => {
      stopping.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
