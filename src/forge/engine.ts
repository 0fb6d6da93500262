import { hash } from 'node:crypto';
import type { z } from 'zod';
import { property } from '../property.js';
import { type Capabilities, type Place, readServerWords, rememberAnswer } from './capabilities.js';
import type { Compiled } from './compile.js';
import type { Bearer } from './credential.js';
import { ApiError, CannotAsk } from './errors.js';
import { circuitOpen, type Exchange } from './exchange.js';
import { explainRefusal, isHtml, lacking } from './failure.js';
import { maskFields, secretValues } from './log-excerpt.js';
import type { FailureKind, Operation, Page, Product, RowFilter, Values, Variant } from './operation.js';
import { linkedNext } from './pages.js';
import { fillPath, PathProblem } from './path.js';
import type { Reply } from './transport.js';

/** A client-side filter with its value. */
interface Sifting {
  readonly rowFilter: RowFilter;
  readonly value: unknown;
}

interface Translation {
  readonly query: Values;
  readonly sifting: readonly Sifting[];
  readonly paged: boolean;
  readonly note: string | undefined;
}

const variantAt = ({ entry }: Compiled, { product }: Place): Variant | undefined =>
  product === 'Forgejo' ? entry.forgejo : undefined;

/** Translates a validated query for this server; filters it ignores are returned separately, to be applied here. */
function translate(compiled: Compiled, place: Place, query: Values): Translation {
  const { name, entry, paged } = compiled;
  const variant = variantAt(compiled, place);
  const ignored = [...(entry.ignores ?? []), ...(variant?.ignores ?? [])];
  const lists = (key: string) => place.lists(key) ?? false;
  const asked = { ...(ifAskable(name, () => variant?.query?.(query, lists)) ?? query) };
  const sifting: Sifting[] = [];
  for (const [key, rowFilter] of Object.entries(entry.rowFilters ?? {})) {
    if (asked[key] === undefined || (place.lists(key) ?? !ignored.includes(key))) continue;
    sifting.push({ rowFilter, value: asked[key] });
    delete asked[key];
  }
  return { query: asked, sifting, paged: paged && !variant?.unpaged, note: variant?.note?.(query) };
}

/** Translates a validated body for this server. */
function speakBody({ name, entry }: Compiled, product: Product, body: Values | undefined): Values | undefined {
  return body && (ifAskable(name, () => entry.send?.(body, product)) ?? body);
}

function ifAskable<T>(operation: string, words: () => T): T {
  try {
    return words();
  } catch (problem) {
    if (!(problem instanceof CannotAsk)) throw problem;
    throw new ApiError({ kind: 'invalid', operation, hint: problem.message, neverSent: true });
  }
}

export type LooseInput = Readonly<Record<string, unknown>>;

/** A validated request that was not sent. */
interface Prepared {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly secrets: readonly string[];
}

function prepare({ name, entry, route }: Compiled, input: LooseInput): Prepared {
  const { query: given, body: sent } = input;
  const query = entry.query ? checkPart(name, 'query', entry.query, given ?? {}) : {};
  const body = entry.body && checkPart(name, 'body', entry.body, sent);
  const secrets = entry.secrets ? secretValues(body, entry.secrets) : [];
  try {
    fillPath(route, input);
    return { query, body, secrets };
  } catch (problem) {
    if (problem instanceof PathProblem) throw unusable(name, problem.message);
    throw problem;
  }
}

function checkPart(name: string, part: string, schema: z.ZodObject, value: unknown): Record<string, unknown> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw unusable(name, problems(part, result.error));
}

function unusable(operation: string, words: string): ApiError {
  return new ApiError({ kind: 'invalid', operation, hint: `Nothing was sent. Check ${words}.`, neverSent: true });
}

/** Paths and rules only; the value may be a secret. */
function problems(part: string, error: z.ZodError): string {
  const lines = error.issues.slice(0, 5).map((issue) => `${[part, ...issue.path].join('.')}: ${issue.message}`);
  return lines.join('; ');
}

function queryString(query: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      const written = one instanceof Date ? one.toISOString() : String(one);
      text += `${text === '' ? '?' : '&'}${encodeURIComponent(key)}=${encodeURIComponent(written)}`;
    }
  }
  return text;
}

export interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Shown by dry runs and approval cards: the request as it would be sent, with secrets masked. */
export function requestLine(compiled: Compiled, input: LooseInput, place: Place): RequestLine {
  const { query, body } = prepare(compiled, input);
  const secrets = compiled.entry.secrets ?? [];
  return {
    method: place.route.method,
    path: fillPath(place.route, input),
    query: maskFields(translate(compiled, place, query).query, secrets) as typeof query,
    body: maskFields(speakBody(compiled, place.product, body), secrets),
  };
}

interface PageRequest {
  readonly page: number;
  /** As requested, or the server's default. */
  readonly limit: number;
  /** False: this is the whole list. */
  readonly paged: boolean;
  readonly note: string | undefined;
  readonly onUnreadable?: ((why: string) => void) | undefined;
}

const emptyPage: Page<never> = { items: [], total: undefined, hasMore: false };

/** Equal for byte-identical answers. */
const printOf = ({ body, headers }: Reply): string =>
  `${hash('sha1', body, 'base64')} ${headers['x-total-count']} ${headers['link']}`;

/** One validated answer; a list becomes a Page. */
function readAnswer(compiled: Compiled, reply: Reply, asked: PageRequest): unknown {
  if (compiled.items) return readPage(compiled, reply, asked);
  const { answer, effect, tail } = compiled.entry;
  if (!answer) return undefined;
  if (tail !== undefined) return answer.parse({ text: reply.body.toString('utf8'), whole: !reply.cut });
  const empty = isEmpty(reply);
  const result = answer.safeParse(empty ? undefined : parseReply(compiled, reply));
  if (result.success) return result.data;
  if (!empty)
    throw unreadable(compiled, reply, `It has an unexpected format: ${problems('answer', result.error)}.`, true);
  const done = effect === 'read' ? '' : ' It was done; look at it on the forge.';
  throw unreadable(compiled, reply, `It is empty.${done}`);
}

function readPage(compiled: Compiled, reply: Reply, asked: PageRequest): Page<unknown> {
  const value = isEmpty(reply) ? [] : parseReply(compiled, reply);
  const { list, total: inBody } = unwrap(value, compiled.entry.list?.in);
  const items = rowsOf(compiled, reply, list, asked.onUnreadable);
  const wrong = compiled.entry.list?.countsPage;
  const total = (wrong === 'body' ? undefined : inBody) ?? (wrong === 'header' ? undefined : headerTotal(reply));
  const hasMore = asked.paged && more(reply, asked, Array.isArray(list) ? list.length : 0, total);
  const { note } = asked;
  return { items, total, hasMore, ...(note && { note }) };
}

/** If the list defines a fallback, or the caller can do without, a row of unknown shape does not fail the others. */
function rowsOf(compiled: Compiled, reply: Reply, list: unknown, onUnreadable: PageRequest['onUnreadable']): unknown[] {
  const result = compiled.items?.safeParse(list);
  if (result?.success) return result.data;
  const items: unknown[] = [];
  const { item, poorer } = compiled.entry.list ?? {};
  for (const row of (poorer || onUnreadable) && Array.isArray(list) ? list : []) {
    const read = item?.safeParse(row);
    if (read?.success) items.push(read.data);
    if (!read || read.success) continue;
    onUnreadable?.(problems('row', read.error));
    const part = poorer?.safeParse(row);
    if (part?.success) items.push(part.data);
  }
  if (items.length > 0 || (onUnreadable && Array.isArray(list))) return items;
  const words = result ? problems('list', result.error) : 'no list';
  throw unreadable(compiled, reply, `It has an unexpected format: ${words}.`);
}

function more(reply: Reply, { page, limit }: PageRequest, count: number, total: number | undefined): boolean {
  const { link } = reply.headers;
  if (link !== undefined) return linkedNext(String(link)) !== undefined;
  if (count === 0) return false;
  return total === undefined ? count >= limit : (page - 1) * limit + count < total;
}

function unwrap(value: unknown, name: string | undefined): { list: unknown; total: number | undefined } {
  if (value === null) return { list: [], total: undefined };
  if (Array.isArray(value) || typeof value !== 'object' || name === undefined) return { list: value, total: undefined };
  const total: unknown = Reflect.get(value, 'total_count');
  return { list: Reflect.get(value, name) ?? [], total: typeof total === 'number' ? total : undefined };
}

function headerTotal({ headers }: Reply): number | undefined {
  const value = headers['x-total-count'];
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

function isEmpty({ body }: Reply): boolean {
  return body.length < 8 && body.toString().trim() === '';
}

function parseReply(compiled: Compiled, reply: Reply): unknown {
  try {
    return JSON.parse(reply.body.toString());
  } catch {
    const words = isHtml(reply.body.toString())
      ? 'It is a web page: check the forge address.'
      : 'It is incomplete or not JSON.';
    throw unreadable(compiled, reply, words);
  }
}

function unreadable({ name }: Compiled, { status }: Reply, why: string, unknownShape = false): ApiError {
  const hint = `Bellows could not read the forge’s response. ${why}`;
  return new ApiError({ kind: 'unavailable', operation: name, status, hint, unknownShape });
}

/** How many pages one request may read if the server does not filter. */
const mostPages = 10;

interface SiftedPage {
  readonly page: number;
  readonly limit: number;
  readonly sifting: readonly Sifting[];
  fetch(page: number): Promise<Page<unknown>>;
}

/** One page of a client-filtered list: reads as many pages as needed, up to a limit that is reported. */
async function filterPages({ page, limit, sifting, fetch }: SiftedPage): Promise<Page<unknown>> {
  const end = page * limit;
  const kept: unknown[] = [];
  let searched = 0;
  for (let at = 1; at <= mostPages; at += 1) {
    const { items, hasMore } = await fetch(at);
    searched += items.length;
    for (const item of items) if (sifting.every(({ rowFilter, value }) => rowFilter.keep(item, value))) kept.push(item);
    const past = items.some((item) => sifting.some(({ rowFilter, value }) => rowFilter.past?.(item, value)));
    const over = !hasMore || past;
    if (!over && kept.length <= end) continue;
    const total = over ? kept.length : undefined;
    return { items: kept.slice(end - limit, end), total, hasMore: kept.length > end };
  }
  const note = `Only the first ${searched} were searched.`;
  return { items: kept.slice(end - limit, end), total: undefined, hasMore: kept.length > end, note };
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with a fingerprint of a list's bytes before parsing; returning true skips parsing and gives an empty page. */
  readonly known?: ((print: string) => boolean) | undefined;
  /** Called with the reason if a row cannot be read; the row is left out. Without it, one such row fails the whole list. */
  readonly onUnreadable?: ((why: string) => void) | undefined;
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
  const maximum = rememberAnswer(() => readMaximum(), now, hour);

  async function readMaximum(): Promise<number | undefined> {
    const wire = { method: 'GET', path: `${base}/settings/api`, headers: asking?.plain ?? {} } as const;
    const { status, body } = await exchange('server.settings', notRetried, wire);
    const value = property(readServerWords(status, body), 'max_response_items');
    return typeof value === 'number' && value > 0 ? value : undefined;
  }

  const engine: Engine = {
    skew: () => skew ?? 0,
    now: () => (skew === undefined ? undefined : now() + skew),

    maximum(who) {
      asking = who;
      return maximum();
    },

    async call(compiled, input, { signal, known, onUnreadable, detail }, who, sender) {
      const { name, entry } = compiled;
      const prepared = prepare(compiled, input);
      const secrets = [...prepared.secrets, ...who.secrets];
      const place = await capabilities.place(compiled);
      const server = capabilities.server;
      if (!place) throw lacking({ name, entry, secrets }, await server());
      const translation = translate(compiled, place, prepared.query);
      const spokenBody = speakBody(compiled, place.product, prepared.body);
      const query = translation.paged ? await fitting(translation.query, who) : translation.query;
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
          throw await explainRefusal({ name, entry, secrets }, reply, now(), server);
        }
        if (compiled.items !== undefined && known?.(printOf(reply))) return emptyPage;
        const asked = { page: numeric(query['page'], 1), limit: numeric(query['limit'], usualLimit) };
        return readAnswer(compiled, reply, {
          ...asked,
          paged: translation.paged,
          note: translation.note,
          onUnreadable,
        });
      };
      try {
        const answer = translation.sifting.length === 0 ? await ask(query) : await askAll(translation, query, who, ask);
        sender.after?.(name, { ms: now() - started, status, kind: undefined, answer });
        return answer;
      } catch (error) {
        if (error instanceof ApiError) sender.after?.(name, { ms: now() - started, status, kind: error.kind });
        throw error;
      }
    },
  };

  /** For client-side filters, whole server pages are read to fill one of ours. */
  async function askAll(
    translation: Translation,
    query: Values,
    who: Bearer,
    ask: (query: Values) => Promise<unknown>,
  ) {
    const limit = (await engine.maximum(who)) ?? usualLimit;
    return filterPages({
      page: numeric(query['page'], 1),
      limit: numeric(query['limit'], usualLimit),
      sifting: translation.sifting,
      // rowFilters exist on lists only, which the reader turns into pages
      fetch: (page) => ask(translation.paged ? { ...query, page, limit } : query) as Promise<Page<unknown>>,
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
