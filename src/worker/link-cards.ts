import type { WebClient } from '@slack/web-api';
import type { Catalog } from '../chat/command.js';
import type { Services } from '../chat/session.js';
import { platformError } from '../slack/platform-error.js';
import { createUnfurl } from '../slack/unfurl.js';

const itemsAtOnce = 5;

/** Cards under recent links are redrawn when their item changed. */
export function createLinkCards(services: Services, catalog: Catalog, client: WebClient, team: string) {
  const { store, log } = services;
  const { again } = createUnfurl({ services, catalog, client, team });
  return async (): Promise<void> => {
    for (const item of await store.links.due(itemsAtOnce)) {
      for (const link of await store.links.of(item)) {
        try {
          await again(item, link);
        } catch (error) {
          // the message was deleted, or Slack no longer accepts a card there
          if (platformError(error) !== undefined) await store.links.drop(item, link);
          log.debug({ item, reason: String(error) }, 'a card under a link stays as it is');
        }
      }
    }
  };
}
