import type { Site } from '../state/site.js';
import { versionOf } from './flavour.js';
import type { Endpoint } from './router.js';

/** What this server serves, in the form a client reads it. */
export function describe(site: Site, endpoints: readonly Endpoint[]): unknown {
  const paths = new Map<string, Record<string, unknown>>();
  for (const { route } of endpoints) {
    const [method = '', path = ''] = route.split(' ');
    const entry = paths.get(path) ?? {};
    entry[method.toLowerCase()] = { produces: ['application/json'], responses: {} };
    paths.set(path, entry);
  }
  return {
    swagger: '2.0',
    info: { title: 'Gitea API', version: versionOf(site) },
    basePath: `${new URL(site.url).pathname.replace(/\/$/, '')}/api/v1`,
    consumes: ['application/json'],
    produces: ['application/json'],
    paths: Object.fromEntries(paths),
  };
}
