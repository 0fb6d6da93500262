import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import type { Reply } from '../../store/index.js';

const tries = 20;
const betweenMs = 500;

/** The comment a reply became, if it did; only the person and account that posted it may change it. */
export async function commentOf(ts: string | undefined, { store, person, channel, login }: Context): Promise<Reply> {
  const place = { team: person.team, channel: channel ?? '' };
  for (let left = tries; ts !== undefined && channel !== undefined && left > 0; left--) {
    const found = await store.replies.get(place, ts);
    if (found?.user === person.user && found.login.toLowerCase() === login.toLowerCase()) return found;
    if (found) break;
    await pause(betweenMs);
  }
  throw new UserError('This reply was not posted as a comment, so nothing was changed on the forge.');
}
