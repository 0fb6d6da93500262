import { property } from '../property.js';
import type { Template } from './path.js';
import type { Reply } from './transport.js';

/** A server's API document at /swagger.v1.json: its title, and each route with its query parameters. */
export interface Description {
  readonly title: string;
  readonly routes: ReadonlyMap<string, ReadonlySet<string>>;
}

export function descriptionIn({ status, body }: Reply): Description | undefined {
  const value = said(status, body);
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

export const plainRoute = ({ method, path }: Template): string => plain(`${method} ${path}`);

/** A sign-in page counts as no answer, which is also worth caching for a while; a server error is not. */
export function said(status: number, body: Buffer): unknown {
  if (status >= 500 || status === 401 || status === 403) throw new Error(`status ${status}`);
  if (status !== 200) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
