import { LRUCache } from 'lru-cache';
import type { Tells } from '../chat/runtime.js';
import type { Person } from '../store/index.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';

const people = 1_000;
const quietMs = 10 * 60_000;

/** Tells a person that a request in their name was not run; at most once in a while. */
export function createDisown({ tell }: Tells) {
  const notified = new LRUCache<string, true>({ max: people, ttl: quietMs });
  return async (person: Person): Promise<void> => {
    const name = `${person.team}/${person.user}`;
    if (notified.has(name)) return;
    notified.set(name, true);
    await tell(
      person,
      say(md`A request from your account could not be verified, so it was not run. If it was yours, run it again.`),
    );
  };
}
