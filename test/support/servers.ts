import type { Flavor } from '@bellows/sandbox/forge';

/** For the whole product: some servers, or every one if EVERY_SERVER is set. */
export const onServers = <Server extends Flavor>(every: readonly Server[], usual: readonly Server[]) =>
  process.env['EVERY_SERVER'] ? every : usual;

const every = ['gitea-1.26', 'gitea-1.28', 'forgejo-11', 'forgejo-15'] as const;

/** Where the server decides what people see. */
export const bothKinds = onServers(every, ['gitea-1.26', 'forgejo-15']);

/** Where only its client differs, which has tests of its own; tests that name no server use a Gitea. */
export const servers = onServers(every, ['forgejo-15']);
