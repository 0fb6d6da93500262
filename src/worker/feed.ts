import type { Config } from '../config.js';
import type { OpenHouse } from '../house.js';
import type { Metrics } from '../http/metrics.js';
import { createFeedJobs, type FeedJobs } from '../jobs/feed.js';
import type { Log } from '../log.js';
import { createPoster } from '../slack/post.js';
import type { Connection } from '../store/index.js';
import type { AsPerson } from './as-person.js';
import { eventButtons } from './buttons.js';

/** The event road with its ports filled: the forge as the bot's account, Slack as the bot. */
export function joinFeed(
  open: OpenHouse,
  config: Config,
  connection: Connection,
  log: Log,
  as: AsPerson,
  metrics?: Metrics,
): FeedJobs {
  const { house, client, identity } = open;
  return createFeedJobs({
    store: house.store,
    service: house.service,
    has: (operation) => house.forge.capabilities.has(operation),
    as,
    poster: createPoster(client),
    slack: house.slack,
    people: house.people,
    policy: config.policy,
    slash: config.command,
    team: identity.teamId,
    actions: eventButtons,
    log,
    connection,
    now: () => house.now().getTime(),
    ...(metrics && { count: metrics.feed }),
  });
}
