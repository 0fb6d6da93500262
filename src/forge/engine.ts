import { property } from '../property.js';
import { emptyPage, printOf, readAnswer } from './answer.js';
import { type Capabilities, remembered } from './capabilities.js';
import type { Compiled } from './compile.js';
import type { Bearer } from './credential.js';
import { said } from './description.js';
import { type Spoken, speak, speakBody } from './dialect.js';
import { ApiError } from './errors.js';
import { circuitOpen, type Exchange } from './exchange.js';
import { lacking, refused } from './failure.js';
import type { FailureKind, Operation, Page, Values } from './operation.js';
import { fillPath } from './path.js';
import { type LooseInput, prepare, queryString } from './prepare.js';
import { sifted } from './sift.js';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with a fingerprint of a list's bytes before parsing; returning true skips parsing and gives an empty page. */
  readonly known?: ((print: string) => boolean) | undefined;
  /** Called with the reason if a row cannot be read; the row is left out. Without it, one such row fails the whole list. */
  readonly strange?: ((why: string) => void) | undefined;
  /** About one thing among many: its failure says nothing about the forge. */
  readonly detail?: boolean;
}

export interface CallResult {
  readonly ms: number;
  readonly status: number | undefined;
  /** Undefined: success. */
  readonly kind: FailureKind | undefined;
  /** As the caller gets it. */
  readonly answer?: unknown;
}

export interface Sender<Name extends string = string> {
  /** Awaited right before the request is sent; throwing stops it. */
  before?(name: Name, entry: Operation, input: LooseInput): Promise<void> | void;
  after?(name: Name, result: CallResult): void;
}

interface Ports {
  /** Path of the API below the origin, without trailing slash. */
  readonly base: string;
  readonly exchange: Exchange;
  readonly capabilities: Capabilities;
  /** Milliseconds the circuit stays open; 0 if closed. */
  readonly circuit: () => number;
  /** Milliseconds for operations that are slow by nature. */
  readonly patience: number;
  readonly now: () => number;
}

export interface Engine {
  call(compiled: Compiled, input: LooseInput, options: CallOptions, who: Bearer, sender: Sender): Promise<unknown>;
  /** Milliseconds the forge's clock is ahead of ours, from its last answer. */
  skew(): number;
  /** The forge's clock; undefined before its first answer. */
  now(): number | undefined;
  /** The largest page this server returns, if it says. */
  maximum(who: Bearer): Promise<number | undefined>;
}

/** Our own requests are not retried: the call they precede will show. */
export const notRetried = 'once';

const usualLimit = 30;
const hour = 3_600_000;

export function createEngine({ base, exchange, capabilities, circuit, patience, now }: Ports): Engine {
  let asking: Bearer | undefined;
  let skew: number | undefined;
  const maximum = remembered(() => readMaximum(), now, hour);

  async function readMaximum(): Promise<number | undefined> {
    const wire = { method: 'GET', path: `${base}/settings/api`, headers: asking?.plain ?? {} } as const;
    const { status, body } = await exchange('server.settings', notRetried, wire);
    const value = property(said(status, body), 'max_response_items');
    return typeof value === 'number' && value > 0 ? value : undefined;
  }

  const engine: Engine = {
    skew: () => skew ?? 0,
    now: () => (skew === undefined ? undefined : now() + skew),

    maximum(who) {
      asking = who;
      return maximum();
    },

    async call(compiled, input, { signal, known, strange, detail }, who, sender) {
      const { name, entry } = compiled;
      const prepared = prepare(compiled, input);
      const secrets = [...prepared.secrets, ...who.secrets];
      const place = await capabilities.place(compiled);
      const server = capabilities.server;
      if (!place) throw lacking({ name, entry, secrets }, await server());
      const spoken = speak(compiled, place, prepared.query);
      const spokenBody = speakBody(compiled, place.product, prepared.body);
      const query = spoken.paged ? await fitting(spoken.query, who) : spoken.query;
      const wait = circuit();
      if (wait > 0) throw circuitOpen(name, wait);
      await sender.before?.(name, entry, input);

      const body = spokenBody === undefined ? undefined : JSON.stringify(spokenBody);
      const headers = body === undefined ? who.plain : who.withBody;
      const where = base + fillPath(place.route, input);
      const started = now();
      let status: number | undefined;
      const ask = async (query: Values): Promise<unknown> => {
        const path = where + queryString(query);
        const patient = entry.slow ? patience : undefined;
        const { tail } = entry;
        const wire = { method: place.route.method, path, headers, body, signal, patience: patient, detail, tail };
        const reply = await exchange(name, entry.effect, wire);
        status = reply.status;
        const date = Date.parse(String(reply.headers['date'] ?? ''));
        if (!Number.isNaN(date)) skew = date - now();
        if (status < 200 || status > 299) {
          capabilities.learn(place.route, reply);
          throw await refused({ name, entry, secrets }, reply, now(), server);
        }
        if (compiled.items !== undefined && known?.(printOf(reply))) return emptyPage;
        const asked = { page: numeric(query['page'], 1), limit: numeric(query['limit'], usualLimit) };
        return readAnswer(compiled, reply, { ...asked, paged: spoken.paged, note: spoken.note, strange });
      };
      try {
        const answer = spoken.sifting.length === 0 ? await ask(query) : await askAll(spoken, query, who, ask);
        sender.after?.(name, { ms: now() - started, status, kind: undefined, answer });
        return answer;
      } catch (error) {
        if (error instanceof ApiError) sender.after?.(name, { ms: now() - started, status, kind: error.kind });
        throw error;
      }
    },
  };

  /** For client-side filters, whole server pages are read to fill one of ours. */
  async function askAll(spoken: Spoken, query: Values, who: Bearer, ask: (query: Values) => Promise<unknown>) {
    const limit = (await engine.maximum(who)) ?? usualLimit;
    return sifted({
      page: numeric(query['page'], 1),
      limit: numeric(query['limit'], usualLimit),
      sifting: spoken.sifting,
      // sieves exist on lists only, which the reader turns into pages
      fetch: (page) => ask(spoken.paged ? { ...query, page, limit } : query) as Promise<Page<unknown>>,
    });
  }

  /** The server silently lowers a larger limit, and its Link header is then wrong. */
  async function fitting(query: Values, who: Bearer): Promise<Values> {
    const { limit } = query;
    if (typeof limit !== 'number') return query;
    const most = await engine.maximum(who);
    return most !== undefined && limit > most ? { ...query, limit: most } : query;
  }

  return engine;
}

function numeric(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
