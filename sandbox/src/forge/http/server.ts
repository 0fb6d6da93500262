import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgejoWeb } from '../forgejo/web.js';
import { signingIn } from '../oauth/web.js';
import type { State } from '../state/state.js';
import type { Answer } from './answer.js';
import { dispatch, htmlPage, type Incoming, pageNotFound } from './dispatch.js';
import type { Faults, Trouble } from './faults.js';
import { createGitDoor } from './git.js';
import { outside } from './outside.js';
import type { Requests } from './requests.js';
import { type Endpoint, routerOf } from './router.js';
import { describedIn } from './swagger.js';
import { find, instead } from './trouble.js';

export interface Parts {
  readonly state: State;
  readonly endpoints: readonly Endpoint[];
  readonly faults: Faults;
  readonly requests: Requests;
  readonly subPath: string;
}

const json = 'application/json;charset=utf-8';

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Streams a file no faster than it is read. */
function sendPieces(response: ServerResponse, answer: Answer, pieces: NonNullable<Answer['pieces']>): void {
  response.writeHead(answer.status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(pieces.size),
    ...answer.headers,
  });
  Readable.from(pieces.all).pipe(response);
}

/** `cut`: the part of the body that is sent before the connection drops. */
function send(response: ServerResponse, answer: Answer, cut?: number): void {
  if (answer.pieces !== undefined) {
    sendPieces(response, answer, answer.pieces);
    return;
  }
  const text = answer.text?.content ?? (answer.body === undefined ? '' : JSON.stringify(answer.body));
  const bytes = Buffer.from(text, 'utf8');
  const type = answer.text?.type ?? json;
  response.writeHead(answer.status, {
    'cache-control': 'max-age=0, private, must-revalidate, no-transform',
    ...(bytes.length > 0 || answer.text !== undefined ? { 'content-type': type } : {}),
    ...(answer.status === 204 ? {} : { 'content-length': String(bytes.length) }),
    ...answer.headers,
  });
  if (cut === undefined) {
    response.end(answer.status === 204 ? undefined : bytes);
    return;
  }
  response.write(bytes.subarray(0, Math.floor(bytes.length * cut)), () => response.destroy());
}

export function createForgeServer(parts: Parts): Server {
  const { state, faults, requests, subPath } = parts;
  const route = routerOf(parts.endpoints);
  const git = createGitDoor(state, faults, requests);

  function web(path: string): Answer {
    if (path === '/api/healthz') return { status: 200, body: { status: 'pass' } };
    const { flavor } = state.site;
    const fromForgejo = forgejoWeb(state.site, path);
    if (fromForgejo !== undefined) return fromForgejo;
    if (path === '/swagger.v1.json' && flavor !== 'no-swagger' && flavor !== 'document') {
      return { status: 200, text: { type: json, content: describedIn(state.site, parts.endpoints) } };
    }
    return path.endsWith('.json') ? htmlPage(404, 'Page Not Found') : htmlPage(200, 'Sandbox forge');
  }

  async function api(incoming: Incoming, response: ServerResponse): Promise<void> {
    const found = route(incoming.method, incoming.path);
    const match = typeof found === 'object' ? found : undefined;
    const troubles = faults.hit(match?.endpoint.route, `${incoming.method} ${incoming.path}`);
    const note = (status: number, who?: string, error?: unknown): void =>
      requests.add({
        at: state.now(),
        who,
        method: incoming.method,
        path: incoming.path,
        route: match?.endpoint.route,
        query: Object.fromEntries(
          [...incoming.search.keys()].map((key) => [key, incoming.search.getAll(key).join(',')]),
        ),
        body: readable(incoming.raw),
        status,
        ...(error === undefined ? {} : { error }),
      });
    requests.arrive(`${incoming.method} ${incoming.path}`);
    const wait = find(troubles, (each) => ('delay' in each ? each.delay : undefined));
    if (wait !== undefined) await sleep(wait);
    await find(troubles, (each) => ('first' in each ? each.first() : undefined));
    const drop = find(troubles, (each) => ('drop' in each ? each.drop : undefined));
    if (drop === 'before') {
      note(0);
      response.destroy();
      return;
    }
    const isAfter = (each: Trouble) => 'done' in each && each.done === true;
    const fake = find(troubles, (each) => (isAfter(each) ? undefined : instead(state, each)));
    if (fake !== undefined) {
      note(fake.status);
      send(response, fake);
      return;
    }
    const page = find(troubles, (each) => ('repeatPage' in each ? each.repeatPage : undefined));
    if (page !== undefined) incoming.search.set('page', String(page));
    if (match === undefined) {
      const answer = found === 'method' ? { status: 405 } : pageNotFound;
      note(answer.status);
      send(response, answer);
      return;
    }
    const outcome = await dispatch(state, match, incoming);
    await find(troubles, (each) => ('hold' in each ? each.hold() : undefined));
    const stall = find(troubles, (each) => ('stall' in each ? each.stall : undefined));
    const spoiled = find(troubles, (each) =>
      'bend' in each
        ? { ...outcome.answer, body: each.bend(JSON.parse(JSON.stringify(outcome.answer.body))) }
        : isAfter(each)
          ? instead(state, each)
          : undefined,
    );
    const silent = drop === 'after' || stall !== undefined;
    const status = silent ? 0 : (spoiled ?? outcome.answer).status;
    note(status, outcome.caller?.user?.login, outcome.error);
    if (stall !== undefined) await sleep(stall);
    if (silent) response.destroy();
    else if (spoiled) send(response, spoiled);
    else
      send(
        response,
        outcome.answer,
        find(troubles, (each) => ('cut' in each ? each.cut : undefined)),
      );
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://forge');
    response.setHeader('date', new Date(state.now() * 1_000).toUTCString());
    const bytes = await readAll(request);
    const raw = bytes.toString('utf8');
    const method = request.method ?? 'GET';
    if (!url.pathname.startsWith(subPath)) return send(response, pageNotFound);
    const path = url.pathname.slice(subPath.length);
    const prefix = '/api/v1';
    if (path.startsWith(`${prefix}/`)) {
      const incoming = {
        method,
        path: path.slice(prefix.length),
        search: url.searchParams,
        headers: request.headers,
        raw,
      };
      return api(incoming, response);
    }
    const search = url.search.slice(1);
    if (await git.serve({ method, path, search, headers: request.headers, raw: bytes }, response)) return;
    const page = { method, path, search: url.searchParams, headers: request.headers, raw, base: subPath };
    const signing = await signingIn(state, faults, page);
    if (signing === 'lost') return void response.destroy();
    if (signing) return send(response, signing);
    send(response, outside(state, method, path, request.headers, raw) ?? web(path));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return server.once('close', git.close);
}

function readable(raw: string): unknown {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}
