import { runButton } from '../chat/actions.js';
import type { Named } from '../domain/subscriptions/titles.js';
import type { Log } from '../log.js';
import { type Store, subscriptionId } from '../store/index.js';
import { code, md, mention } from '../view/text.js';
import { tell } from './tell.js';

export interface DepartureOptions {
  readonly store: Store;
  readonly slack: { user(id: string): Promise<{ readonly deleted: boolean } | undefined> };
  readonly team: string;
  /** As people type it: /forge */
  readonly slash: string;
  readonly log: Log;
  readonly now: () => number;
}

const reason = 'Its owner has left.';

/**
 * Pauses it until someone takes over: a channel may only use someone's access with their consent.
 * Announced first: if interrupted in between, both are done again.
 */
export async function pauseOrphaned({ sub, title }: Named, at: number, options: DepartureOptions): Promise<void> {
  const { store, slash, now } = options;
  const id = `left:${subscriptionId(sub)}:${sub.owner}:${at}`;
  const words = md`Updates on ${title} are paused: ${mention(sub.owner)} owned the subscription and has left. To resume as its owner, click *Take over* or run ${code(`${slash} subscribe ${title}`)}.`;
  const button = runButton({ text: 'Take over', command: 'subscribe', args: { repositories: [title] } });
  await tell(store, sub.place, id, words, button);
  await store.subscriptions.change(sub, { paused: { reason, at: now() } });
}
