import type { Compiled } from './compile.js';
import { type Description, descriptionIn, plainRoute, said } from './description.js';
import { isRouteMissing } from './failure.js';
import type { Product } from './operation.js';
import type { Template } from './path.js';
import { productNamed, type ServerWords } from './product.js';
import { property } from './property.js';
import type { Reply } from './transport.js';

/** Where this server has an operation; undefined where it is known to have it nowhere. */
export interface Place {
  readonly route: Template;
  readonly product: Product;
  /** Whether the server's description names a parameter; undefined where it names none at all. */
  lists(name: string): boolean | undefined;
}

export interface Capabilities {
  /** Where the server does not describe itself it is tried and seen. */
  place(operation: Compiled): Promise<Place | undefined>;
  /** Hands in an answer, so that a missing route is known from then on. */
  learn(route: Template, reply: Reply): void;
  server(): Promise<ServerWords>;
}

interface Ports {
  /** GET /swagger.v1.json at the root; throws when there is no answer. */
  readonly description: () => Promise<Reply>;
  readonly version: () => Promise<Reply>;
  /** GET /api/forgejo/v1/version, which only a Forgejo has. */
  readonly forgejo: () => Promise<Reply>;
  readonly now: () => number;
  readonly ttlMs?: number;
}

/** What the server itself shows of what it can do. A version number is only for the words of a message. */
export function createCapabilities({ description, version, forgejo, now, ttlMs = 3_600_000 }: Ports): Capabilities {
  const described = remembered(async () => descriptionIn(await description()), now, ttlMs);
  const versions = remembered(async () => versionIn(await version()), now, ttlMs);
  const isForgejo = remembered(async () => versionIn(await forgejo()) !== undefined, now, ttlMs);
  const missing = new Map<string, number>();

  async function product(): Promise<Product> {
    const named = productNamed((await described())?.title ?? '');
    return named ?? ((await isForgejo()) ? 'Forgejo' : 'Gitea');
  }

  return {
    async place({ entry, route, atForgejo }) {
      const known = await described();
      // most operations are the same everywhere: nothing is asked for them
      const which = entry.forgejo ? await product() : 'Gitea';
      const routes = which === 'Forgejo' ? atForgejo : [route];
      const found = routes.find((each) => isThere(each, known));
      return found && { route: found, product: which, lists: (name) => listed(known, found, name) };
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

function listed(known: Description | undefined, route: Template, name: string): boolean | undefined {
  const parameters = known?.routes.get(plainRoute(route));
  return parameters === undefined || parameters.size === 0 ? undefined : parameters.has(name);
}

const retryMs = 30_000;

/** One value for its time. No answer counts as undefined and is asked for again soon. */
export function remembered<T>(fetch: () => Promise<T | undefined>, now: () => number, ttlMs: number) {
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
  const version = property(said(status, body), 'version');
  return typeof version === 'string' ? version : undefined;
}
