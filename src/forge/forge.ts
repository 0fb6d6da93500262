import { createBreaker } from './breaker.js';
import { createCapabilities } from './capabilities.js';
import { type ApiOf, clientOf } from './client.js';
import { compile, type NameIn, type Table } from './compile.js';
import { bearer, type Credential } from './credential.js';
import { aside, createEngine, type Sender } from './engine.js';
import { createExchange, type ForgeLog, type Retry } from './exchange.js';
import { createTransport, type Timeouts } from './transport.js';
import { normaliseForgeUrl } from './url.js';

export interface ForgeOptions {
  /** As in the browser. */
  readonly url: string;
  /** Where people's links point, when it differs. */
  readonly webUrl?: string | undefined;
  readonly timeouts?: Partial<Timeouts>;
  readonly maxBodyBytes?: number;
  readonly maxInFlight?: number;
  /** PEM, trusted beside the usual authorities. */
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
  readonly retry?: Partial<Retry>;
  readonly breaker?: { readonly threshold?: number; readonly coolMs?: number };
  readonly log?: ForgeLog | undefined;
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface ForgeOf<T extends Table> {
  /** The operations, sent as this person. */
  as(credential: Credential, sender?: Sender<NameIn<T>>): ApiOf<T>;
  readonly capabilities: {
    /** False only where the server is known to lack it. */
    has(name: NameIn<T>): Promise<boolean>;
    /** For the words of a message, never for a decision. */
    version(): Promise<string | undefined>;
  };
  /** Milliseconds the forge's clock is ahead of ours, to a second or two. */
  skew(): number;
  /** Base of people's links, without slash at the end. */
  readonly web: string;
  close(): Promise<void>;
}

const patient: Timeouts = { connect: 5000, headers: 30_000, body: 30_000, slow: 600_000 };
const anonymous = bearer({ kind: 'anonymous' }).plain;

export function forgeOf<T extends Table>(table: T, options: ForgeOptions): ForgeOf<T> {
  const root = normaliseForgeUrl(options.url);
  const { maxBodyBytes = 20_000_000, maxInFlight = 16, ca, proxy, log, now = Date.now, random = Math.random } = options;
  const folder = new URL(root).pathname.replace(/\/$/, '');
  const base = `${folder}/api/v1`;

  const timeouts = { ...patient, ...options.timeouts };
  const transport = createTransport({ root, timeouts, maxBodyBytes, maxInFlight, ca, proxy });
  const breaker = createBreaker({
    ...options.breaker,
    now,
    changed: (open) => log?.warn({ forge: root }, open ? 'forge circuit opened' : 'forge circuit closed'),
  });
  const retry = { attempts: 3, baseMs: 200, ...options.retry };
  const exchange = createExchange({ transport, breaker, retry, now, random, log });

  const ask = (name: string, path: string) =>
    exchange(name, aside, { method: 'GET', path, headers: anonymous, patience: 5000 });
  const capabilities = createCapabilities({
    description: () => ask('server.description', `${folder}/swagger.v1.json`),
    version: () => ask('server.version', `${base}/version`),
    now,
  });
  const engine = createEngine({ base, exchange, capabilities, circuit: breaker.wait, patience: timeouts.slow, now });
  const compiled = compile(table);

  return {
    as: clientOf(table, engine),
    capabilities: {
      async has(name) {
        const operation = compiled.get(name);
        return operation !== undefined && (await capabilities.state(operation)) !== 'absent';
      },
      version: capabilities.version,
    },
    skew: engine.skew,
    web: options.webUrl === undefined ? root : options.webUrl.replace(/\/+$/, ''),
    close: transport.close,
  };
}
