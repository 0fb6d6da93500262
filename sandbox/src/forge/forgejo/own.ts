import type { Route } from '../../../../src/forge/operation.js';
import type { Handler } from '../http/call.js';
import type { AnyHandler, Endpoint } from '../http/router.js';
import type { ForgejoRelease } from '../state/site.js';

export interface OwnEndpoint extends Endpoint {
  readonly from: ForgejoRelease;
}

/** A route that Forgejo alone has, or answers in a shape of its own, since this release. */
export const own = <const R extends Route>(
  from: ForgejoRelease,
  route: R,
  query: readonly string[],
  handler: Handler<R>,
): OwnEndpoint => ({
  from,
  route,
  query,
  // The types met in the parameter list; the router fills whatever the route names.
  handler: handler as AnyHandler,
  beyond: true,
  since: undefined,
});
