import { isForgejo, type Site } from '../state/site.js';
import { versionOf } from './flavor.js';
import type { Endpoint } from './router.js';

/** What the real API document omits, though the server supports it. */
const unlisted: Readonly<Record<string, readonly string[]>> = {
  'GET /admin/actions/runners': ['page', 'limit'],
  'GET /admin/actions/runs': ['exclude_pull_requests', 'run_number'],
  'GET /repos/{owner}/{repo}/actions/runs': ['run_number'],
  'GET /repos/{owner}/{repo}/issues/{index}/comments': ['page', 'limit'],
};

const texts = new Map<string, string>();

/** What this server serves, in the form a client reads; written once for each flavor and path. */
export function describedIn(site: Site, endpoints: readonly Endpoint[]): string {
  const basePath = `${new URL(site.url).pathname.replace(/\/$/, '')}/api/v1`;
  const name = `${site.flavor} ${basePath}`;
  const text = texts.get(name) ?? JSON.stringify(describe(site, endpoints, basePath));
  texts.set(name, text);
  return text;
}

function describe(site: Site, endpoints: readonly Endpoint[], basePath: string): unknown {
  const paths = new Map<string, Record<string, unknown>>();
  for (const { route, query } of endpoints) {
    const [method = '', path = ''] = route.split(' ');
    const entry = paths.get(path) ?? {};
    entry[method.toLowerCase()] = {
      produces: ['application/json'],
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true })),
        ...query
          .filter((name) => isForgejo(site) || unlisted[route]?.includes(name) !== true)
          .map((name) => ({ name, in: 'query' })),
      ],
      responses: {},
    };
    paths.set(path, entry);
  }
  return {
    swagger: '2.0',
    info: { title: `${isForgejo(site) ? 'Forgejo' : 'Gitea'} API`, version: versionOf(site) },
    basePath,
    consumes: ['application/json'],
    produces: ['application/json'],
    paths: Object.fromEntries(paths),
  };
}
