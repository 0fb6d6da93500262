import { describe, expect, it } from 'vitest';
import { useStore } from '../support/redis.js';

const ada = { team: 'T1', user: 'U1' };
const bob = { team: 'T1', user: 'U2' };
const key = (user: string) => `bellows:{f0:T1}:pending:${user}`;
const at = useStore();
const first = async (person: typeof ada) => (await at.store.pending.first(person))?.command;

describe('a command waiting for its person to link', () => {
  it('is taken once, by that person', async () => {
    await at.store.pending.put(ada, { command: 'whoami' });
    expect(await first(bob)).toBeUndefined();
    expect(await first(ada)).toEqual({ command: 'whoami' });
    await (await at.store.pending.first(ada))?.drop();
    expect(await first(ada)).toBeUndefined();
  });

  it('copied to another person is invalid', async () => {
    await at.store.pending.put(ada, { command: 'whoami' });
    await at.redis.rpush(key('U2'), ...(await at.redis.lrange(key('U1'), 0, -1)));
    expect(await first(bob)).toBeUndefined();
  });

  it('restored after it expired is invalid', async () => {
    await at.store.pending.put(ada, { command: 'whoami' });
    const texts = await at.redis.lrange(key('U1'), 0, -1);
    at.pass(30 * 60_000);
    await at.redis.del(key('U1'));
    await at.redis.rpush(key('U1'), ...texts);
    expect(await first(ada)).toBeUndefined();
  });
});
