import { describe, expect, it } from 'vitest';
import { strayKeys, useStore } from '../support/redis.js';

const place = { team: 'T1', channel: 'C1' };
const repository = { id: 7, owner: 'ada', name: 'engine' };
const facts = { kind: 'public', shared: false, member: true, archived: false } as const;

const at = useStore();

describe('channels', () => {
  it('remember their default repository', async () => {
    expect(await at.store.channels.defaultRepository(place)).toBeUndefined();
    await at.store.channels.setDefaultRepository(place, repository);
    expect(await at.store.channels.defaultRepository(place)).toEqual(repository);
    expect(await at.store.channels.defaultRepository({ ...place, channel: 'C2' })).toBeUndefined();
    await at.store.channels.setDefaultRepository(place, undefined);
    expect(await at.store.channels.defaultRepository(place)).toBeUndefined();
  });

  it('are known only as long as the caller accepts', async () => {
    await at.store.channels.learn(place, facts);
    at.pass(59_000);
    expect(await at.store.channels.facts(place, 60_000)).toMatchObject(facts);
    at.pass(2000);
    expect(await at.store.channels.facts(place, 60_000)).toBeUndefined();
    expect(await at.store.channels.facts(place, 3_600_000)).toMatchObject(facts);
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('must be read again once something changed', async () => {
    await at.store.channels.learn(place, facts);
    await at.store.channels.forgetFacts(place);
    expect(await at.store.channels.facts(place, 60_000)).toBeUndefined();
  });
});

describe('settings', () => {
  it('start with defaults and keep what a person chose', async () => {
    const ada = { team: 'T1', user: 'U1' };
    expect(await at.store.settings.get(ada)).toEqual({ kinds: {}, quiet: null });
    const chosen = { kinds: { mention: false }, quiet: { from: '20:00', to: '08:00' } };
    await at.store.settings.put(ada, chosen);
    expect(await at.store.settings.get(ada)).toEqual(chosen);
  });
});
