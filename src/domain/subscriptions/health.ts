import { sourceKey } from '../../feed/sources/source.js';
import type { Store, Subscription } from '../../store/index.js';

/** The state of the source behind a subscription. */
export interface Health {
  readonly polledAt?: number;
  readonly error?: string;
}

/** Of its main source; the repositories of a pattern are in `status`. */
export async function healthOf({ target }: Subscription, { sources }: Store, now: Date): Promise<Health> {
  const state = await sources.get(sourceKey({ kind: target.kind, id: target.id }));
  const { answeredAt, error } = state ?? {};
  return {
    ...(answeredAt !== undefined && answeredAt <= now.getTime() && { polledAt: answeredAt }),
    ...(error !== undefined && { error: error.slice(0, 200) }),
  };
}
