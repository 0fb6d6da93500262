import { setTimeout as pause } from 'node:timers/promises';
import { replyJobId } from '../../chat/act-job.js';
import type { Context } from '../../chat/context.js';
import { knownIn, refuseTakenOver } from '../../chat/repo-ids.js';
import { UserError } from '../../errors.js';
import type { Reply } from '../../store/index.js';

const tries = 20;
const betweenMs = 500;

/** The comment a reply became, if it did; only the person and account that posted it may change it. */
export async function commentOf(ts: string | undefined, context: Context): Promise<Reply> {
  const { store, person, channel, login } = context;
  const place = { team: person.team, channel: channel ?? '' };
  let found: Reply | undefined;
  for (let left = tries; ts !== undefined && channel !== undefined && left > 0; left--) {
    found = await store.replies.get(place, ts);
    if (found && !(await isBehind(replyJobId(channel, ts), context))) break;
    await pause(betweenMs);
  }
  if (found?.user === person.user && found.login.toLowerCase() === login.toLowerCase()) {
    await refuseTakenOver(knownIn({ found }), context.api);
    return found;
  }
  throw new UserError('This reply was not posted as a comment, so nothing was changed on the forge.');
}

/** An earlier change of the same reply is under way: sent at the same time, it could be the one that stays. */
async function isBehind(reply: string, { store, person, job: id }: Context): Promise<boolean> {
  return id !== undefined && (await store.turns.ahead({ person, id })).some((each) => each.startsWith(reply));
}
