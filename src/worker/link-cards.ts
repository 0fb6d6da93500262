import type { WebClient } from '@slack/web-api';
import type { Catalog } from '../chat/command.js';
import type { Services } from '../chat/session.js';
import { platformError, transientCodes } from '../slack/platform-error.js';
import { createUnfurl } from '../slack/unfurl.js';

const itemsAtOnce = 5;
const holdMs = 60_000;
/** Slack gets some time after a temporary problem. */
const retryTurns = 5;

interface Options {
  readonly services: Services;
  readonly catalog: Catalog;
  readonly client: WebClient;
  readonly team: string;
  /** Between two turns. */
  readonly everyMs: number;
}

/** Cards under recent links are redrawn when their item changed. */
export function createLinkCards({ services, catalog, client, team, everyMs }: Options) {
  const { store, log } = services;
  const { again } = createUnfurl({ services, catalog, client, team });
  return async (): Promise<void> => {
    for (const due of await store.links.due(itemsAtOnce, holdMs)) {
      const { item } = due;
      for (const link of await store.links.of(item)) {
        try {
          await again(item, link);
        } catch (error) {
          const code = platformError(error);
          // otherwise the message was deleted, or Slack no longer accepts a card there
          if (code === undefined || transientCodes.has(code)) await store.links.touch(item, retryTurns * everyMs);
          else await store.links.drop(item, link);
          log.debug({ item, reason: String(error) }, 'a card under a link stays as it is');
        }
      }
      await store.links.done(due);
    }
  };
}
