import type { Operation } from '../../../src/forge/operation.js';
import { operations } from '../../../src/forge/operations/index.js';
import { forgejoEndpoints } from './forgejo/endpoints.js';
import { handlers } from './handlers/index.js';
import { setup } from './handlers/setup.js';
import { serves } from './http/flavor.js';
import type { AnyHandler, Endpoint } from './http/router.js';
import { type Flavor, forgejoOf, type Site } from './state/site.js';

function fromTable(): Endpoint[] {
  const table: Readonly<Record<string, Readonly<Record<string, Operation>>>> = operations;
  return Object.entries(handlers).flatMap(([noun, verbs]) =>
    Object.entries(verbs).flatMap(([verb, handler]) => {
      const entry = table[noun]?.[verb];
      if (entry === undefined) return [];
      // The types matched where the handlers were written; here a route and its handler are only passed along.
      return [
        {
          route: entry.route,
          handler: handler as AnyHandler,
          beyond: entry.beyond === true,
          since: entry.since,
          query: Object.keys(entry.query?.shape ?? {}),
        },
      ];
    }),
  );
}

const known = new Map<Flavor, readonly Endpoint[]>();

/** Everything this forge serves: the table, and the setup routes for tests. The same list for every forge of a flavor. */
export function endpointsOf(site: Site): readonly Endpoint[] {
  const found = known.get(site.flavor) ?? listed(site);
  known.set(site.flavor, found);
  return found;
}

function listed(site: Site): readonly Endpoint[] {
  const preparing = setup.map(({ route, handler, since }) => ({
    route,
    handler: handler as AnyHandler, // as above
    beyond: true,
    since,
    query: [],
  }));
  const all = [...fromTable(), ...preparing];
  const forgejo = forgejoOf(site);
  return forgejo === undefined ? all.filter((endpoint) => serves(site, endpoint)) : forgejoEndpoints(all, forgejo);
}
