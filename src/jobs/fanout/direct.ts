import type { Place } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

/** A person's conversation with the bot; undefined if they left Slack. Any other failure is Slack's, and is tried again. */
export async function directPlace({ slack, team }: FeedDeps, user: string): Promise<Place | undefined> {
  try {
    return { team, channel: await slack.directMessage(user) };
  } catch (error) {
    const person = await slack.user(user);
    if (person && !person.deleted) throw error;
    return undefined;
  }
}
