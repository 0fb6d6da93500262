import type { Flavor } from '@bellows/sandbox/forge';

/** For the whole product: one server of each kind, or every one if EVERY_SERVER is set. */
export const onServers = <Server extends Flavor>(every: readonly Server[], usual: readonly Server[]) =>
  process.env['EVERY_SERVER'] ? every : usual;

export const servers = onServers(
  ['gitea-1.26', 'gitea-1.28', 'forgejo-11', 'forgejo-15'],
  ['gitea-1.26', 'forgejo-15'],
);
