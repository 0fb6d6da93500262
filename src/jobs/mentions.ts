import { reasonOf } from '../errors.js';
import type { Event } from '../feed/event.js';
import { isWanted } from '../feed/inbox-kinds.js';
import type { FeedDeps } from './feed-deps.js';
import { createRemembered } from './remembered.js';

type Mentions = ReturnType<typeof createMentions>;

/** Slack users by forge login; an unknown login stays a plain name. */
export function createMentions({ people, log, now }: Pick<FeedDeps, 'people' | 'log' | 'now'>) {
  const remembered = createRemembered<string | undefined>(now);
  return async (team: string, logins: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const login of new Set(logins.map((name) => name.toLowerCase()))) {
      try {
        const user = await remembered(`${team}/${login}`, () => people.slackUserOf(team, login));
        if (user !== undefined) found.set(login, user);
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'a person could not be looked up');
      }
    }
    return found;
  };
}

/** Authors whose commits may have broken a default branch, if they opted in to being mentioned. */
export async function authorsToMention(
  { store }: FeedDeps,
  mentions: Mentions,
  team: string,
  event: Event,
): Promise<string[]> {
  if (event.kind !== 'runs:failure' || !event.run.main) return [];
  const authors = (event.run.why?.commits ?? []).flatMap((commit) => commit.login ?? []);
  const chosen: string[] = [];
  for (const [login, user] of await mentions(team, authors)) {
    const { kinds } = await store.settings.get({ team, user });
    if (isWanted(kinds, 'broke_branch')) chosen.push(login);
  }
  return chosen;
}
