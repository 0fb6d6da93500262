import { describe, expect, it } from 'vitest';
import { createSeal, createStore } from '../../src/store/index.js';
import { asked } from '../support/asked.js';
import { useStore } from '../support/redis.js';

const ada = { team: 'T1', user: 'U1' };
const at = useStore();

/** The same Redis after the sealing key was removed. */
const later = () => {
  const seal = createSeal(`k9:${Buffer.alloc(32, 9).toString('base64')}`);
  return createStore({ redis: at.redis, forgeId: 'f0', seal, now: at.now });
};

describe('what was sealed with a lost key', () => {
  it('is no longer a pending command', async () => {
    await at.store.pending.put(ada, { text: 'issue close' });
    expect(await later().pending.first(ada)).toBeUndefined();
  });

  it('can no longer be undone', async () => {
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    expect(await later().undo.get(ada, 'u1')).toBeUndefined();
  });

  it('has to be requested again if it needed approval', async () => {
    await at.store.approvals.create(asked(at.now()), { run: 9 });
    expect(await at.store.approvals.args('a1')).toEqual({ run: 9 });
    expect(await later().approvals.args('a1')).toBeUndefined();
  });
});
