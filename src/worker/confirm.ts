import { credentialOf } from '../chat/credential.js';
import type { Services } from '../chat/session.js';

/** For accounts linked before accounts were signed: asks the forge once more who they are. */
export async function confirmAll(services: Pick<Services, 'store' | 'forge' | 'log'>): Promise<void> {
  const { store, forge, log } = services;
  const { accounts } = store;
  for (const team of await accounts.teams()) {
    for (const person of await accounts.unsigned(team)) {
      try {
        const account = await accounts.get(person);
        const used = await credentialOf(services, person);
        if (account?.state !== 'active' || !used) continue;
        const me = await forge.as(used).users.me();
        // asking may have renewed it, and the person may have linked another account since then
        const [credential, still] = await Promise.all([accounts.credential(person), accounts.get(person)]);
        if (!credential || still?.linkedAt !== account.linkedAt) continue;
        const { scopes } = account;
        const link = { login: me.login, forgeUserId: me.id, verified: true, credential, ...(scopes ? { scopes } : {}) };
        await accounts.put(person, link);
      } catch (error) {
        log.warn({ user: person.user, reason: String(error) }, 'the forge did not say whose account this is');
      }
    }
  }
}
