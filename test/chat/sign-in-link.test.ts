import { expect, it } from 'vitest';
import { createSignInLink } from '../../src/chat/linking.js';
import { createSeal } from '../../src/store/index.js';
import { testKeys } from '../support/redis.js';

const ada = { team: 'T1', user: 'U1' };

it('works for ten minutes, for its person, and only at its own forge', () => {
  let now = 0;
  const at = (forgeId: string) =>
    createSignInLink({ seal: createSeal(testKeys), forgeId, publicUrl: 'https://bellows.example/', now: () => now });
  const address = new URL(at('main').url(ada));
  const ticket = address.searchParams.get('for') ?? '';
  expect(address.pathname).toBe('/oauth/start');
  now = 599_999;
  expect(at('main').personIn(ticket)).toEqual(ada);
  expect(at('other').personIn(ticket)).toBeUndefined();
  now = 600_000;
  expect(at('main').personIn(ticket)).toBeUndefined();
});
