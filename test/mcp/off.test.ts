import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentsOff } from '../../src/chat/agent.js';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { clientOver, overHttp, overStdio } from './agent.js';

let bellows: Bellows;
let store: Store;
let token: string;
const { type } = talkTo(() => bellows);
const person = { team: 'T0BELLOWS1', user: 'U0ADA00001' };

beforeAll(async () => {
  bellows = await startBellows({ policy: 'agents: false\n', agents: true });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await ready(store.redis);
  await bellows.link('ada');
  const account = await store.accounts.get(person);
  // created before the switch
  const made = await store.agents.put({
    ...{
      id: 'feedfeedfeed',
      ...person,
      name: 'Left over',
      may: ['issue *'],
      repos: [],
      meant: {},
      pace: 30,
      channel: null,
    },
    ...{ login: 'ada', forgeUserId: account?.forgeUserId ?? null, linkedAt: account?.linkedAt ?? 0 },
    expiresAt: Date.now() + 3_600_000,
  });
  token = made.token;
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

describe('with agents: false in bellows.yaml', () => {
  it.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ] as const)('an earlier token is refused with an explanation over %s', async (_, over) => {
    await expect(clientOver(over(bellows.address, token))).rejects.toThrow(agentsOff);
  });

  it('no agent is added, and earlier ones are still listed and revoked', async () => {
    expect((await type('ada', 'agents add Late --may "issue *"')).text).toContain(agentsOff);
    expect(await store.agents.ownedBy(person)).toHaveLength(1);
    expect(words(await type('ada', 'agents list'))).toContain('Left over');
    expect(words(await type('ada', 'agents revoke Left over'))).toContain('Revoked');
  });
});
