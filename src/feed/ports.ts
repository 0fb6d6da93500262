import type { Button } from '@slack/types';
import type { Event } from './event.js';
import type { ItemState } from './item.js';

/** What drawing an event asks of the outside; all of it is known before, so drawing stays pure. */
export interface DrawPorts {
  readonly now: Date;
  /** The Slack user of a forge login, where that person is known. */
  mention(login: string): string | undefined;
  /** Buttons that act as the person who clicks; the joiner knows the commands, the feed does not. */
  actions(event: Event, item: ItemState | undefined): readonly Button[];
}

export const plainPorts = (now: Date): DrawPorts => ({ now, mention: () => undefined, actions: () => [] });
