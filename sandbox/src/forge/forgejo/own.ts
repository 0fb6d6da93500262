import type { Route } from '../../../../src/forge/operation.js';
import type { Handler } from '../http/call.js';
import type { AnyHandler, Endpoint } from '../http/router.js';
import type { ForgejoRelease } from '../state/site.js';

export interface OwnEndpoint extends Endpoint {
  readonly from: ForgejoRelease;
}

/** A route that only Forgejo has, or answers in its own shape, since this release. */
export const own = <const R extends Route>(
  from: ForgejoRelease,
  route: R,
  query: readonly string[],
  handler: Handler<R>,
): OwnEndpoint => ({
  from,
  route,
  query,
  // The types matched in the parameter list; the router fills whatever the route names.
  handler: handler as AnyHandler,
  beyond: true,
  since: undefined,
});
