import { UserError } from '../../errors.js';
import type { Place } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

/** A person's conversation with the bot; undefined if Slack has none for them. While Slack is busy, nobody can tell. */
export async function directPlace({ slack, team, log }: FeedDeps, user: string): Promise<Place | undefined> {
  try {
    return { team, channel: await slack.directMessage(user) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    log.warn({ user, reason: String(error) }, 'this person gets no direct messages');
    return undefined;
  }
}
