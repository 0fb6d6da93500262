import { type Place, plainJson, type Store } from '../store/index.js';
import { say } from '../view/message.js';
import type { Mrkdwn } from '../view/text.js';

/** A message under its own id: posted once, however often it is requested. */
export async function tell({ outbox }: Store, place: Place, id: string, words: Mrkdwn): Promise<void> {
  await outbox.append(place, [{ id, body: plainJson({ type: 'message', message: say(words) }) }]);
}
