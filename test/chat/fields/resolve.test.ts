import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/chat/context.js';
import { clearable, issue, people, person, repository, run } from '../../../src/chat/fields.js';
import { useStore } from '../../support/redis.js';

const redis = useStore();
/** The repositories this person sees. */
let seen: readonly string[] = [];

function context(channel?: string): Context {
  const logins = new Map([['U1', 'ada']]);
  const given = {
    person: { team: 'T1', user: 'U1' },
    channel,
    login: 'ada',
    store: redis.store,
    api: {
      repos: { search: async () => ({ items: seen.map((full_name) => ({ full_name })), hasMore: seen.length > 3 }) },
    },
    people: { loginOf: async ({ user }: { user: string }) => logins.get(user) },
    slack: { user: async (id: string) => ({ id, name: 'linus' }) },
  };
  // Only what fields need.
  return given as unknown as Context;
}

const useEngine = () =>
  redis.store.channels.setDefaultRepository({ team: 'T1', channel: 'C1' }, { id: 7, owner: 'acme', name: 'engine' });

describe('a missing repository', () => {
  it('comes from the channel’s default repository', async () => {
    await useEngine();
    seen = ['acme/pump', 'ada/pump', 'ada/pump-2'];
    expect(await repository().resolve({}, context('C1'))).toEqual({ owner: 'acme', repo: 'engine' });
    expect(await issue().resolve({ index: 12 }, context('C1'))).toEqual({ owner: 'acme', repo: 'engine', index: 12 });
    expect(await issue().resolve({ repo: 'pump', index: 3 }, context('C1'))).toEqual({
      owner: 'acme',
      repo: 'pump',
      index: 3,
    });
    expect(await run().resolve({ owner: 'a', repo: 'b', run: 9 }, context('C1'))).toEqual({
      owner: 'a',
      repo: 'b',
      run: 9,
    });
  });

  it('is found by its name where only one has it', async () => {
    const pump = (channel: string) => issue().resolve({ repo: 'Pump', index: 3 }, context(channel));
    seen = ['ada/pump', 'acme/pump-2'];
    expect(await pump('C2')).toEqual({ owner: 'ada', repo: 'pump', index: 3 });
    seen = ['ada/pump', 'acme/pump'];
    await expect(pump('C2')).rejects.toThrow('Which Pump do you mean? You can see ada/pump, acme/pump.');
    // there may be another on the next page
    seen = ['ada/pump', 'a/pumps', 'b/pumps', 'c/pumps'];
    await expect(pump('C2')).rejects.toThrow('Which Pump do you mean?');
    seen = [];
    await expect(pump('C2')).rejects.toThrow('I can’t find a repository named Pump. Write owner/Pump.');
  });

  it('is asked for if the channel has none', async () => {
    await expect(repository().resolve({}, context('C2'))).rejects.toThrow(
      'Which repository? Write owner/repo, or set this channel’s default: /forge repo use owner/repo',
    );
    await expect(issue().resolve({ index: 12 }, context())).rejects.toThrow('Which repository?');
  });
});

describe('people', () => {
  it('become forge logins without duplicates', async () => {
    const all = [{ slack: 'U1' }, { login: 'grace' }, { me: true as const }];
    expect(await people().resolve(all, context())).toEqual(['ada', 'grace']);
    expect(await person().resolve({ slack: 'U1' }, context())).toBe('ada');
  });

  it('who are not linked are all named at once, with what to do', async () => {
    const todo = 'Use the forge login instead, or ask them to run /forge signin.';
    const all = [{ slack: 'U8', name: 'grace' }, { slack: 'U1' }, { slack: 'U9' }];
    await expect(people().resolve(all, context())).rejects.toThrow(
      `@grace and @linus have no linked forge accounts. ${todo}`,
    );
    const three = [...all, { slack: 'U7', name: 'alan' }];
    await expect(people().resolve(three, context())).rejects.toThrow(
      `@grace, @linus and @alan have no linked forge accounts. ${todo}`,
    );
    await expect(people().resolve(all.slice(0, 1), context())).rejects.toThrow(
      `@grace has no linked forge account. ${todo}`,
    );
  });

  it('may be cleared', async () => {
    expect(await clearable(people()).resolve(null, context())).toBeNull();
  });
});
