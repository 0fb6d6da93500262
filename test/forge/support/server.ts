import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createForge, type Forge, type ForgeOptions } from '../../../src/forge/index.js';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Handler = (request: Seen, response: ServerResponse) => void;

interface Played {
  readonly url: string;
  /** Everything but the client's questions about the server itself. */
  readonly seen: Seen[];
  readonly asked: Seen[];
}

const asides = ['/swagger.v1.json', '/settings/api', '/api/forgejo/v1/version'];
const maximum = { max_response_items: 50, default_paging_num: 30 };

const endings: (() => unknown)[] = [];

/** For `afterEach`: closes the test's servers and clients. */
export async function closePlayed(): Promise<void> {
  for (const end of endings.splice(0)) await end();
}

/** A server for one test; without an API document unless the handler serves one. */
export async function play(handler: Handler): Promise<Played> {
  const seen: Seen[] = [];
  const asked: Seen[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await take(incoming);
    const aside = asides.some((end) => request.path.endsWith(end));
    (aside ? asked : seen).push(request);
    handler(request, response);
    if ((aside || request.path.endsWith('/version')) && !response.headersSent) {
      if (request.path.endsWith('/settings/api')) json(response, 200, maximum);
      else text(response, 404, '404 page not found\n');
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, asked };
}

async function take(incoming: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const piece of incoming) body += String(piece);
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
}

/** Answers the operation and ignores questions about the server. */
export function answering(reply: Handler): Handler {
  return (request, response) => {
    if (request.path.includes('/api/v1/') && !request.path.endsWith('/settings/api')) reply(request, response);
  };
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json;charset=utf-8', ...headers })
    .end(JSON.stringify(value));
}

export function text(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

export function forgeAt(url: string, options: Partial<ForgeOptions> = {}): Forge {
  const forge = createForge({ url, retry: { baseMs: 1 }, ...options });
  endings.push(() => forge.close());
  return forge;
}

export const token = { kind: 'token', token: 'tok-0123456789abcdef' } as const;

export const user = { id: 7, login: 'ada', full_name: 'Ada', avatar_url: '', html_url: 'http://forge/ada' };

export function issue(number: number): Record<string, unknown> {
  return {
    id: 1000 + number,
    number,
    title: `Issue ${number}`,
    body: 'text',
    state: 'open',
    user,
    labels: [],
    assignees: null,
    html_url: `http://forge/ada/engine/issues/${number}`,
    url: `http://forge/api/v1/repos/ada/engine/issues/${number}`,
    comments: 0,
    created_at: '2026-08-22T23:32:59+02:00',
    updated_at: '2026-08-22T23:32:59+02:00',
    closed_at: null,
    due_date: null,
    repository: { id: 1, name: 'engine', owner: 'ada', full_name: 'ada/engine' },
  };
}
