import { rootCertificates } from 'node:tls';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { Broken, toBroken } from './broken.js';
import type { Method } from './path.js';

export interface Wire {
  readonly method: Method;
  /** Starting at the origin, with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the answer must start, if not the default. */
  readonly patience?: number | undefined;
  /** Only this many bytes at the end of the answer are kept. */
  readonly tail?: number | undefined;
  /** Its failure says nothing about the forge. */
  readonly detail?: boolean | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Buffer;
  /** The body is only the end of what the server has. */
  readonly cut?: boolean;
}

export interface Timeouts {
  readonly connect: number;
  /** Until the answer starts. */
  readonly headers: number;
  /** Until the whole body has arrived. */
  readonly body: number;
  /** Until the answer starts, for operations that take long first. */
  readonly slow: number;
}

interface TransportOptions {
  /** As returned by normalizeForgeUrl. */
  readonly root: string;
  readonly timeouts: Timeouts;
  readonly maxBodyBytes: number;
  readonly maxInFlight: number;
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
}

export interface Transport {
  /** One request with its redirects; throws Broken if there is no complete answer. */
  send(wire: Wire): Promise<Reply>;
  close(): Promise<void>;
}

type Body = Dispatcher.ResponseData['body'];

const maxRedirects = 5;

export function createTransport(options: TransportOptions): Transport {
  const { origin, pathname } = new URL(options.root);
  const home = pathname.endsWith('/') ? pathname : `${pathname}/`;
  const dispatcher = dispatcherFor(origin, options);
  // a log may be larger than any answer should be; its bytes are dropped as they arrive
  const long = lazily(() => dispatcherFor(origin, { ...options, maxBodyBytes: -1, maxInFlight: 2 }));

  async function once(wire: Wire): Promise<Reply> {
    try {
      const { tail } = wire;
      const answer = await (tail === undefined ? dispatcher : long.get()).request({
        origin,
        path: wire.path,
        method: wire.method,
        headers: tail === undefined ? wire.headers : { ...wire.headers, range: `bytes=-${tail}` },
        body: wire.body ?? null,
        ...(wire.signal && { signal: wire.signal }),
        ...(wire.patience !== undefined && { headersTimeout: wire.patience }),
      });
      const { statusCode: status, headers } = answer;
      if (tail === undefined || status < 200 || status > 299) return { status, headers, body: await read(answer.body) };
      const { bytes, dropped } = await readInTime(answer.body, (body) => endOf(body, tail));
      return { status, headers, body: bytes, cut: dropped || !startsAtZero(headers) };
    } catch (error) {
      throw toBroken(error, wire.signal);
    }
  }

  const read = (body: Body): Promise<Buffer> =>
    readInTime(body, async () => {
      const { buffer, byteOffset, byteLength } = await body.bytes();
      return Buffer.from(buffer, byteOffset, byteLength);
    });

  async function readInTime<T>(body: Body, reading: (body: Body) => Promise<T>): Promise<T> {
    // undici only measures the silence between chunks; a trickling server would hold the slot forever
    const timer = setTimeout(() => body.destroy(new Broken('timeout', 'body')), options.timeouts.body);
    try {
      return await reading(body);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async send(wire) {
      let path = wire.path;
      for (let hops = 0; ; hops += 1) {
        const reply = await once({ ...wire, path });
        if (!isRedirect(reply, wire.method)) return reply;
        if (hops === maxRedirects) throw new Broken('redirect', 'too many redirects');
        path = within(origin, home, path, String(reply.headers['location'] ?? ''));
      }
    },
    close: async () => {
      await Promise.all([dispatcher.destroy(), long.made()?.destroy()]);
    },
  };
}

function dispatcherFor(origin: string, options: TransportOptions): Pool | ProxyAgent {
  const trust = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] };
  const shared = {
    connections: options.maxInFlight,
    pipelining: 1,
    headersTimeout: options.timeouts.headers,
    bodyTimeout: 0,
    maxResponseSize: options.maxBodyBytes,
  };
  const tls = { ...trust, timeout: options.timeouts.connect };
  if (options.proxy === undefined) return new Pool(origin, { ...shared, connect: tls });
  return new ProxyAgent({ ...shared, uri: options.proxy, requestTls: tls, proxyTls: tls });
}

function lazily<T>(make: () => T) {
  let made: T | undefined;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}

/** The last bytes of a stream; earlier ones are dropped as they arrive. */
async function endOf(body: Body, most: number): Promise<{ readonly bytes: Buffer; readonly dropped: boolean }> {
  const kept: Buffer[] = [];
  let size = 0;
  let all = 0;
  for await (const piece of body) {
    const bytes = Buffer.from(piece);
    kept.push(bytes);
    size += bytes.length;
    all += bytes.length;
    for (let [first] = kept; first && size - first.length >= most; [first] = kept) {
      size -= first.length;
      kept.shift();
    }
  }
  return { bytes: Buffer.concat(kept).subarray(-most), dropped: all > most };
}

/** A server that supports ranges says where its part starts. */
function startsAtZero(headers: Reply['headers']): boolean {
  const range = headers['content-range'];
  return range === undefined || /^bytes 0-/.test(String(range));
}

/** 303 means a GET of something else: fine for a read, never for a write. */
function isRedirect({ status, headers }: Reply, method: Method): boolean {
  if (headers['location'] === undefined) return false;
  return status === 301 || status === 302 || status === 307 || status === 308 || (status === 303 && method === 'GET');
}

function within(origin: string, home: string, from: string, location: string): string {
  const target = URL.canParse(location, origin + from) ? new URL(location, origin + from) : undefined;
  // another host, or another application on this one, must never see the credential
  if (target?.origin !== origin || !target.pathname.startsWith(home)) {
    throw new Broken('redirect', target ? target.origin : 'nowhere');
  }
  return target.pathname + target.search;
}

export interface Breaker {
  /** Milliseconds until a retry makes sense; 0 if a request may pass. */
  wait(): number;
  /** Like wait, but takes the only probe slot while half open. */
  enter(): number;
  succeeded(): void;
  failed(): void;
  /** The request ended without saying anything about the forge. */
  left(): void;
}

interface BreakerOptions {
  readonly threshold?: number;
  readonly coolMs?: number;
  readonly now: () => number;
  readonly changed?: (open: boolean) => void;
}

/** Opens after repeated failures; after a pause one request probes, and its outcome decides for all. */
export function createBreaker({ threshold = 5, coolMs = 10_000, now, changed }: BreakerOptions): Breaker {
  let failures = 0;
  let openUntil: number | undefined;
  let probing = false;

  function wait(): number {
    if (openUntil === undefined) return 0;
    const left = openUntil - now();
    if (left > 0) return left;
    return probing ? Math.min(coolMs, 1000) : 0;
  }

  return {
    wait,
    enter() {
      const left = wait();
      if (left === 0 && openUntil !== undefined) probing = true;
      return left;
    },
    succeeded() {
      if (openUntil !== undefined) changed?.(false);
      failures = 0;
      openUntil = undefined;
      probing = false;
    },
    failed() {
      failures += 1;
      probing = false;
      if (failures < threshold) return;
      if (openUntil === undefined) changed?.(true);
      openUntil = now() + coolMs;
    },
    left() {
      probing = false;
    },
  };
}
