import { integerParams, type Route } from '../../../../src/forge/operation.js';
import type { Answer } from './answer.js';
import type { Call } from './call.js';

/** As the router sees it: the route's parameters are filled in. */
export type AnyHandler = (call: Call) => Answer | Promise<Answer>;

export interface Endpoint {
  readonly route: Route;
  readonly handler: AnyHandler;
  readonly beyond: boolean;
  /** First release that has it, as in 1.28. */
  readonly since: string | undefined;
  /** Parameters in its description; the server ignores others. */
  readonly query: readonly string[];
}

export interface Match {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string | number>>;
}

interface Compiled {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly fixed: number;
  readonly params: number;
}

const integers: ReadonlySet<string> = new Set(integerParams);

/** A last parameter named `filepath` takes the rest, including slashes. */
function compile(endpoint: Endpoint): Compiled {
  const [method = '', path = ''] = endpoint.route.split(' ');
  const names: string[] = [];
  const source = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_whole, name: string) => {
    names.push(name);
    return name === 'filepath' ? '(.+)' : '([^/]+)';
  });
  const fixed = path.split('/').filter((part) => !part.startsWith('{')).length;
  return { endpoint, method, pattern: new RegExp(`^${source}$`), names, fixed, params: names.length };
}

function readParam(name: string, text: string): string | number {
  const value = decodeURIComponent(text);
  if (!integers.has(name)) return value;
  return /^\d+$/.test(value) ? Number(value) : 0;
}

type Router = (method: string, path: string) => Match | 'method' | undefined;

const routers = new WeakMap<readonly Endpoint[], Router>();

/** Forges that serve the same share theirs: compiling the patterns takes longer than most tests ask. */
export function routerOf(endpoints: readonly Endpoint[]): Router {
  const router = routers.get(endpoints) ?? createRouter(endpoints);
  routers.set(endpoints, router);
  return router;
}

/** `/repos/search` before `/repos/{owner}`, and `{index}.{type}` before `{index}`: the more exact route is tried first. */
function createRouter(endpoints: readonly Endpoint[]): Router {
  const compiled = endpoints.map(compile).sort((a, b) => b.fixed - a.fixed || b.params - a.params);
  return (method, path) => {
    for (const each of compiled) {
      const found = each.method === method ? each.pattern.exec(path) : null;
      if (found === null) continue;
      const params = Object.fromEntries(each.names.map((name, at) => [name, readParam(name, found[at + 1] ?? '')]));
      return { endpoint: each.endpoint, params };
    }
    return compiled.some(({ pattern }) => pattern.test(path)) ? 'method' : undefined;
  };
}
