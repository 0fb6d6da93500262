import { LRUCache } from 'lru-cache';
import type { Event } from '../feed/event.js';
import { isWanted } from '../feed/inbox-kinds.js';
import type { FeedDeps } from './feed-deps.js';

const nobody = '';
const rememberMs = 10 * 60_000;

type Mentions = ReturnType<typeof createMentions>;

/** Slack users by forge login; an unknown login stays a plain name. */
export function createMentions({ people, log }: FeedDeps) {
  const known = new LRUCache<string, string>({ max: 10_000, ttl: rememberMs });
  return async (team: string, logins: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const login of new Set(logins.map((name) => name.toLowerCase()))) {
      const key = `${team}/${login}`;
      try {
        const user = known.get(key) ?? (await people.slackUserOf(team, login)) ?? nobody;
        known.set(key, user);
        if (user !== nobody) found.set(login, user);
      } catch (error) {
        log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'a person could not be looked up');
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
