import type { Catalogue } from '../chat/command.js';
import type { Config } from '../config.js';
import type { Metrics } from '../http/metrics.js';
import { createFeedJobs, type FeedJobs } from '../jobs/feed.js';
import type { Log } from '../log.js';
import type { OpenServices } from '../services.js';
import { createPoster } from '../slack/post.js';
import type { Connection } from '../store/index.js';
import type { AsPerson } from './as-person.js';
import { eventButtons } from './buttons.js';
import { fittingPoster } from './fitting.js';

/** The event road with its ports filled: the forge as the bot's account, Slack as the bot. */
export function joinFeed(
  open: OpenServices,
  config: Config,
  connection: Connection,
  log: Log,
  as: AsPerson,
  catalogue: Catalogue,
  metrics?: Metrics,
): FeedJobs {
  const { services, client, identity } = open;
  return createFeedJobs({
    store: services.store,
    service: services.service,
    has: (operation) => services.forge.capabilities.has(operation),
    as,
    poster: fittingPoster(createPoster(client), catalogue, services.forge),
    slack: services.slack,
    people: services.people,
    policy: config.policy,
    slash: config.command,
    team: identity.teamId,
    actions: eventButtons,
    log,
    connection,
    now: () => services.now().getTime(),
    forgeNow: services.forge.now,
    ...(metrics && { count: metrics.feed }),
  });
}
