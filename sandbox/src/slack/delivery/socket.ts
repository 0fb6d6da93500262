import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isObj, type Obj, parseJson } from '../json.js';
import type { Ack, Failures } from '../records.js';
import { trim } from '../trim.js';
import type { Outgoing, Road } from './road.js';

interface Waiting {
  socket: WebSocket | undefined;
  outgoing: Outgoing;
  began: number;
  timer: NodeJS.Timeout;
  done: (ack: Ack) => void;
}

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets';

const twice = { acked: 'acknowledged twice', late: 'acknowledged too late' };
const maxConnections = 10;
const keptFinished = 5000;

/** Socket Mode: envelopes over any of up to ten connections, each acknowledged by its id. */
export class SocketRoad implements Road {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #open = new Set<WebSocket>();
  readonly #tickets = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #finished = new Map<string, 'acked' | 'late'>();
  readonly #failures: Failures;
  readonly #timeoutMs: number;
  readonly #onChange: () => void;
  readonly #pings: NodeJS.Timeout;
  #turn = 0;

  constructor(http: Server, failures: Failures, timeoutMs: number, onChange: () => void) {
    this.#failures = failures;
    this.#timeoutMs = timeoutMs;
    this.#onChange = onChange;
    http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#pings = setInterval(() => {
      for (const socket of this.#open) socket.ping('Ping from sandbox');
    }, 10_000);
    this.#pings.unref();
  }

  /** A ticket opens one connection. */
  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return ticket;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Asks every connection, or the given number of them, to disconnect, as Slack does before a restart. */
  disconnect(reason: DisconnectReason = 'refresh_requested', count = Number.POSITIVE_INFINITY): void {
    for (const socket of [...this.#open].slice(0, count)) {
      // nothing new is sent to a connection that was asked to disconnect
      this.#open.delete(socket);
      socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'sandbox' } }));
    }
    this.#onChange();
  }

  /** Drops connections without warning. */
  drop(): void {
    for (const socket of [...this.#open]) socket.terminate();
  }

  send(outgoing: Outgoing): Promise<Ack> {
    if (this.#open.size === 0) return Promise.resolve({ outcome: 'dispatch_failed', detail: 'no open connection' });
    const id = randomUUID();
    return new Promise((resolve) => {
      const done = (ack: Ack) => {
        clearTimeout(waiting.timer);
        this.#waiting.delete(id);
        this.#finish(id, ack.outcome === 'acked' ? 'acked' : 'late');
        resolve(ack);
      };
      const timer = setTimeout(() => done({ outcome: 'operation_timeout' }), this.#timeoutMs);
      const waiting: Waiting = { socket: undefined, outgoing, began: performance.now(), timer, done };
      this.#waiting.set(id, waiting);
      this.#write(id, waiting);
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    for (const waiting of [...this.#waiting.values()]) {
      waiting.done({ outcome: 'dispatch_failed', detail: 'the sandbox is closing' });
    }
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #write(id: string, waiting: Waiting): void {
    const sockets = [...this.#open];
    this.#turn += 1;
    const socket = sockets[this.#turn % sockets.length];
    waiting.socket = socket;
    const { type, payload, acceptsPayload, attempt, reason } = waiting.outgoing;
    const envelope: Obj = { envelope_id: id, type, payload, accepts_response_payload: acceptsPayload };
    if (type === 'events_api') Object.assign(envelope, { retry_attempt: attempt, retry_reason: reason });
    socket?.send(JSON.stringify(envelope));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? '/', 'http://sandbox').searchParams.get('ticket') ?? '';
    if (!this.#tickets.delete(ticket)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connection) => this.#welcome(connection));
  }

  #welcome(socket: WebSocket): void {
    if (this.#open.size >= maxConnections) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      socket.close();
      return;
    }
    this.#open.add(socket);
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#lost(socket));
    const debug = { host: 'sandbox', approximate_connection_time: 18_060 };
    socket.send(JSON.stringify({ type: 'hello', num_connections: this.#open.size, debug_info: debug }));
    socket.ping('Ping from sandbox');
    for (const [id, waiting] of this.#waiting) if (waiting.socket === undefined) this.#again(id, waiting);
    this.#onChange();
  }

  /** What a lost connection left unacknowledged is sent over another one, now or when one opens. */
  #lost(socket: WebSocket): void {
    this.#open.delete(socket);
    for (const [id, waiting] of this.#waiting) {
      if (waiting.socket !== socket) continue;
      waiting.socket = undefined;
      if (this.#open.size > 0) this.#again(id, waiting);
    }
    this.#onChange();
  }

  #again(id: string, waiting: Waiting): void {
    waiting.outgoing = { ...waiting.outgoing, attempt: waiting.outgoing.attempt + 1, reason: 'timeout' };
    this.#write(id, waiting);
  }

  #receive(data: string): void {
    const frame = parseJson(data);
    const id = isObj(frame) ? frame['envelope_id'] : undefined;
    if (!isObj(frame) || typeof id !== 'string') {
      this.#failures.note('protocol', 'a frame without envelope_id');
      return;
    }
    const payload = isObj(frame['payload']) && Object.keys(frame['payload']).length > 0 ? frame['payload'] : undefined;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      const how = this.#finished.get(id);
      this.#failures.note('protocol', `envelope ${how === undefined ? 'never sent' : twice[how]}: ${id}`);
      return;
    }
    if (payload !== undefined && !waiting.outgoing.acceptsPayload) {
      this.#failures.note('protocol', `${waiting.outgoing.type} acknowledged with a payload it does not accept`);
    }
    waiting.done({ outcome: 'acked', payload, tookMs: performance.now() - waiting.began });
  }

  #finish(id: string, how: 'acked' | 'late'): void {
    this.#finished.set(id, how);
    trim(this.#finished, keptFinished);
  }
}
