import type { Compiled } from './compile.js';
import { isRouteMissing } from './failure.js';
import { property } from './property.js';
import type { Reply } from './transport.js';

export interface Capabilities {
  /** 'unknown' where the server does not describe itself: try it and see. */
  state(operation: Compiled): Promise<'present' | 'absent' | 'unknown'>;
  /** Hands in an answer, so that a missing route is known from then on. */
  learn(operation: Compiled, reply: Reply): void;
  version(): Promise<string | undefined>;
}

interface Ports {
  /** GET /swagger.v1.json at the root; throws when there is no answer. */
  readonly description: () => Promise<Reply>;
  readonly version: () => Promise<Reply>;
  readonly now: () => number;
  readonly ttlMs?: number;
}

type Routes = ReadonlySet<string>;

/** What the server itself says it can do. A version number is only for the words of a message. */
export function createCapabilities({ description, version, now, ttlMs = 3_600_000 }: Ports): Capabilities {
  const routes = remembered(async () => routesIn(await description()), now, ttlMs);
  const versions = remembered(async () => versionIn(await version()), now, ttlMs);
  const missing = new Map<string, number>();

  return {
    async state({ name, route }) {
      const known = await routes();
      if (known) return known.has(plain(`${route.method} ${route.path}`)) ? 'present' : 'absent';
      const until = missing.get(name);
      return until !== undefined && until > now() ? 'absent' : 'unknown';
    },
    learn({ name }, reply) {
      if (isRouteMissing(reply)) missing.set(name, now() + ttlMs);
    },
    version: versions,
  };
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

function routesIn({ status, body }: Reply): Routes | undefined {
  const paths = property(said(status, body), 'paths');
  if (typeof paths !== 'object' || paths === null) return undefined;
  const routes = new Set<string>();
  for (const [path, methods] of Object.entries(paths)) {
    if (typeof methods !== 'object' || methods === null) continue;
    for (const method of Object.keys(methods)) routes.add(plain(`${method.toUpperCase()} ${path}`));
  }
  return routes.size === 0 ? undefined : routes;
}

/** Servers name the same path parameter differently. */
function plain(route: string): string {
  return route.replace(/\{[^}]*\}/g, '{}');
}

function versionIn({ status, body }: Reply): string | undefined {
  const version = property(said(status, body), 'version');
  return typeof version === 'string' ? version : undefined;
}

/** A sign-in page is no answer, and that too is worth remembering for a while; a bad day is not. */
export function said(status: number, body: Buffer): unknown {
  if (status >= 500 || status === 401 || status === 403) throw new Error(`status ${status}`);
  if (status !== 200) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
