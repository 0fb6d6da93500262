import { close, connect, createSeal, createStore, ready } from '../../src/store/index.js';
import type { Bellows } from './bellows.js';

/** People of Slack and their logins at the forge, linked without typing it: for tests that are not about signing in. */
export async function linkAll({ slack, forge, config }: Bellows, logins: Readonly<Record<string, string>>) {
  const redis = connect(config.redisUrl);
  await ready(redis);
  const { accounts } = createStore({ redis, forgeId: config.namespace, seal: createSeal(config.keys) });
  for (const [name, login] of Object.entries(logins)) {
    const person = { team: slack.teamId, user: slack.as(name).id };
    const forgeUserId = forge.world.user(login)?.id ?? null;
    const credential = { kind: 'token', token: forge.account(login).token() } as const;
    await accounts.put(person, { login, forgeUserId, verified: true, credential });
  }
  await close(redis);
}
