import { type Place, plainJson, type Store } from '../store/index.js';
import { say } from '../view/message.js';

type Said = Parameters<typeof say>;

/** A message under its own id: posted once, however often it is requested. */
export async function tell({ outbox }: Store, place: Place, id: string, ...said: Said): Promise<void> {
  await outbox.append(place, [{ id, body: plainJson({ type: 'message', message: say(...said) }) }]);
}
