import type { Endpoint } from '../http/router.js';
import type { ForgejoRelease } from '../state/site.js';
import type { OwnEndpoint } from './own.js';
import { runnerRoutes } from './runners.js';
import { runRoutes } from './runs.js';

const ownRoutes: readonly OwnEndpoint[] = [...runRoutes, ...runnerRoutes];

/** No Forgejo has these. */
const never = [
  /^GET \/token$/,
  /^GET \/admin\/actions\/(jobs|runs)$/,
  /^POST \/admin\/actions\/runners\/registration-token$/,
  /^PATCH \/admin\/actions\/runners\/\{runner_id\}$/,
  /\/actions\/runs\/\{run\}\/(force-cancel|approve|rerun|rerun-failed-jobs|jobs\/\{job_id\}\/rerun|attempts\/\{attempt\}\/jobs)$/,
  /^GET \/repos\/\{owner\}\/\{repo\}\/actions\/jobs$/,
  /\/actions\/workflows(\/\{workflow_id\}\/(enable|disable))?$/,
  /\/projects(\/|$)/,
];

/** Parameters that Gitea knows and Forgejo silently ignores. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  'GET /repos/issues/search': ['created_by'],
  'GET /repos/{owner}/{repo}/commits': ['since', 'until'],
  'GET /admin/hooks': ['type'],
};

/** The part of Gitea's table this release serves, with its own routes instead. */
export function forgejoEndpoints(all: readonly Endpoint[], release: ForgejoRelease): Endpoint[] {
  const taken = new Set(ownRoutes.map(({ route }) => route));
  const alike = all.filter(({ route }) => !taken.has(route) && !never.some((pattern) => pattern.test(route)));
  return [
    ...alike.map((endpoint) => ({
      ...endpoint,
      query: endpoint.query.filter((name) => ignored[endpoint.route]?.includes(name) !== true),
    })),
    ...ownRoutes.filter(({ from }) => from <= release),
  ];
}
