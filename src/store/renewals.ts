import { accountSeal, Credential, OAuthCredential, replace, row } from './accounts.js';
import type { Ground, Person } from './ground.js';
import { createLease } from './lease.js';
import { unseal } from './seal.js';

/** Replaces expired credentials; one process at a time asks the forge for them. */
export function createRenewals({ redis, forge, keys, seal }: Ground) {
  const { about, withCredential } = accountSeal(seal, forge);
  return {
    lease: ({ team, user }: Person) => createLease(redis, keys.renewing({ team, user }), keys.renewals({ team })),

    /** False if the person has signed out or linked again since. */
    async put(person: Person, old: OAuthCredential, next: OAuthCredential): Promise<boolean> {
      const { team, user } = person;
      for (;;) {
        const text = await redis.hget(keys.accounts({ team }), user);
        if (text === null) return false;
        const found = row.decode(text);
        const open = unseal(seal, found.credential, about(person));
        const held = open === undefined ? undefined : Credential.parse(open);
        if (held?.kind !== 'oauth' || held.access !== old.access) return false;
        const credential = seal.seal(JSON.stringify(OAuthCredential.parse(next)), about(person));
        const moved = row.encode(withCredential(person, found, credential));
        // tried again if only the login was changed meanwhile: a refresh token works once
        if ((await replace(redis, [keys.accounts({ team })], [user, text, moved])) === 1) return true;
      }
    },
  };
}
