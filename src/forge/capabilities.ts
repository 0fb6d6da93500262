import { property } from '../property.js';
import type { Compiled } from './compile.js';
import { isRouteMissing } from './failure.js';
import type { Product } from './operation.js';
import type { Template } from './path.js';
import { productNamed, type ServerWords } from './product.js';
import type { Reply } from './transport.js';

/** A server's API document at /swagger.v1.json: its title, and each route with its query parameters. */
interface Description {
  readonly title: string;
  readonly routes: ReadonlyMap<string, ReadonlySet<string>>;
}

function descriptionIn({ status, body }: Reply): Description | undefined {
  const value = readServerWords(status, body);
  const paths = property(value, 'paths');
  if (typeof paths !== 'object' || paths === null) return undefined;
  const routes = new Map<string, ReadonlySet<string>>();
  for (const [path, methods] of Object.entries(paths)) {
    if (typeof methods !== 'object' || methods === null) continue;
    for (const [method, about] of Object.entries(methods)) {
      routes.set(plain(`${method.toUpperCase()} ${path}`), queryOf(about));
    }
  }
  const title = property(property(value, 'info'), 'title');
  return routes.size === 0 ? undefined : { title: typeof title === 'string' ? title : '', routes };
}

function queryOf(about: unknown): ReadonlySet<string> {
  const parameters = property(about, 'parameters');
  const names = (Array.isArray(parameters) ? parameters : [])
    .filter((each) => property(each, 'in') === 'query')
    .map((each) => property(each, 'name'));
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** Servers name the same path parameter differently. */
function plain(route: string): string {
  return route.replace(/\{[^}]*\}/g, '{}');
}

const plainRoute = ({ method, path }: Template): string => plain(`${method} ${path}`);

/** A sign-in page counts as no answer, which is also worth caching for a while; a server error is not. */
export function readServerWords(status: number, body: Buffer): unknown {
  if (status >= 500 || status === 401 || status === 403) throw new Error(`status ${status}`);
  if (status !== 200) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Where this server has an operation; undefined if it is known to lack it. */
export interface Place {
  readonly route: Template;
  readonly product: Product;
  /** Whether the server's API document lists a parameter; undefined if it lists none at all. */
  lists(name: string): boolean | undefined;
}

export interface Capabilities {
  /** If the server has no API document, operations are simply tried. */
  place(operation: Compiled): Promise<Place | undefined>;
  /** Records an answer, so that a missing route is known from then on. */
  learn(route: Template, reply: Reply): void;
  server(): Promise<ServerWords>;
}

interface Ports {
  /** GET /swagger.v1.json at the root; throws if there is no answer. */
  readonly description: () => Promise<Reply>;
  readonly version: () => Promise<Reply>;
  /** GET /api/forgejo/v1/version, which only Forgejo has. */
  readonly forgejo: () => Promise<Reply>;
  readonly now: () => number;
  readonly ttlMs?: number;
}

/** What the server itself shows it can do. Version numbers are only used in messages. */
export function createCapabilities({ description, version, forgejo, now, ttlMs = 3_600_000 }: Ports): Capabilities {
  const described = rememberAnswer(async () => descriptionIn(await description()), now, ttlMs);
  const versions = rememberAnswer(async () => versionIn(await version()), now, ttlMs);
  const isForgejo = rememberAnswer(async () => versionIn(await forgejo()) !== undefined, now, ttlMs);
  const missing = new Map<string, number>();

  async function product(): Promise<Product> {
    const named = productNamed((await described())?.title ?? '');
    return named ?? ((await isForgejo()) ? 'Forgejo' : 'Gitea');
  }

  return {
    async place({ entry, route, atForgejo }) {
      const known = await described();
      // most operations are the same everywhere, so they need no request
      const which = entry.forgejo ? await product() : 'Gitea';
      const routes = which === 'Forgejo' ? atForgejo : [route];
      const found = routes.find((each) => isThere(each, known));
      return found && { route: found, product: which, lists: (name) => isListed(known, found, name) };
    },
    learn(route, reply) {
      if (isRouteMissing(reply)) missing.set(plainRoute(route), now() + ttlMs);
    },
    async server() {
      return { product: await product(), version: await versions() };
    },
  };

  function isThere(route: Template, known: Description | undefined): boolean {
    const name = plainRoute(route);
    return known ? known.routes.has(name) : (missing.get(name) ?? 0) <= now();
  }
}

function isListed(known: Description | undefined, route: Template, name: string): boolean | undefined {
  const parameters = known?.routes.get(plainRoute(route));
  return parameters === undefined || parameters.size === 0 ? undefined : parameters.has(name);
}

const retryMs = 30_000;

/** Caches one value for a while. No answer counts as undefined and is retried soon. */
export function rememberAnswer<T>(fetch: () => Promise<T | undefined>, now: () => number, ttlMs: number) {
  let until = 0;
  let value: Promise<T | undefined> = Promise.resolve(undefined);
  return (): Promise<T | undefined> => {
    if (now() < until) return value;
    until = now() + ttlMs;
    value = fetch().catch(() => {
      until = Math.min(until, now() + retryMs);
      return undefined;
    });
    return value;
  };
}

function versionIn({ status, body }: Reply): string | undefined {
  const version = property(readServerWords(status, body), 'version');
  return typeof version === 'string' ? version : undefined;
}
