import { type OutboxPlace, type Person, plainJson, type Store } from '../store/index.js';
import type { Message } from '../view/message.js';

/**
 * A notice is a message of Bellows' own: stored before Slack is called, posted once under its id, however often it is sent, and
 * adapted to the server when it is posted. Nothing a person muted holds up what is sent to them.
 * An answer is apart: it may hold a secret, so it is sealed; it goes where its command was run, and one that knows more replaces it.
 */
export async function notify(
  { outbox }: Pick<Store, 'outbox'>,
  to: Person | OutboxPlace,
  id: string,
  message: Message,
  more: { readonly card?: string; readonly under?: string } = {},
): Promise<void> {
  const place = 'user' in to ? { team: to.team, channel: to.user } : to;
  const body = plainJson({ type: 'message', message, ...more });
  await outbox.append(place, [{ id, ...(more.card !== undefined && { card: more.card }), body }]);
}
