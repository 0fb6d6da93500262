import { expect, it } from 'vitest';
import { createSignatures } from '../../src/store/authentic.js';
import { createSeal } from '../../src/store/index.js';
import { createResigner } from '../../src/store/resign.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
const key = 'rows';
const [newer = '', older = ''] = testKeys.split(',');
const by = (keys: string) => createSignatures({ seal: createSeal(keys), forge: 'f0', alarm: () => false }, 'reminder');

it('leaves a row alone that changed while it was signed again', async () => {
  await at.redis.hset(key, 'a', by(older).sign('old', 'a'));
  const latest = by(older).sign('latest', 'a');
  const slow = {
    ...by(`${newer},${older}`),
    sign(text: string, ...id: readonly string[]) {
      // on the same connection, so before the new signature
      void at.redis.hset(key, 'a', latest);
      return by(newer).sign(text, ...id);
    },
  };
  expect(await createResigner(at.redis, slow).resign({ key, idOf: (field) => [field] })).toBe(0);
  expect(await at.redis.hget(key, 'a')).toBe(latest);
});
