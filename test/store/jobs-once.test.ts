import { describe, expect, it } from 'vitest';
import { strayKeys, useStore } from '../support/redis.js';

const at = useStore();

describe('a job that must not run twice', () => {
  it('is marked once, and the mark is found on the next run', async () => {
    expect(await at.store.jobs.markOf('tr1', 'sent')).toBeUndefined();
    expect(await at.store.jobs.mark('tr1', 'sent', 'issues.create')).toBe(true);
    expect(await at.store.jobs.mark('tr1', 'sent', 'again')).toBe(false);
    expect(await at.store.jobs.markOf('tr1', 'sent')).toEqual({ at: at.now(), note: 'issues.create' });
    expect(await at.store.jobs.markOf('tr1', 'abandoned')).toBeUndefined();
    expect(await at.store.jobs.markOf('tr2', 'sent')).toBeUndefined();
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('is forgotten after a day', async () => {
    await at.store.jobs.mark('tr1', 'sent');
    const life = await at.redis.ttl('bellows:f0:once:sent:tr1');
    expect(life).toBeGreaterThan(86_300);
    expect(life).toBeLessThanOrEqual(86_400);
  });
});

describe('what only one of several people should do', () => {
  const [ada, grace] = ['U0ADA00001', 'U0GRACE001'].map((user) => ({ team: 'T1', user }));
  if (!ada || !grace) throw new Error('nobody there');

  it('is the first one’s, on a rerun too, until that job gives it back', async () => {
    const { claims } = at.store;
    expect(await claims.take('run 1', 'failed', 'tr1', ada)).toEqual({ taken: true });
    expect(await claims.take('run 1', 'failed', 'tr1', ada)).toEqual({ taken: true });
    expect(await claims.take('run 1', 'failed', 'tr2', grace)).toMatchObject({ taken: false, holder: { by: ada } });
    await claims.release('run 1', 'tr2');
    expect(await claims.holder('run 1')).toMatchObject({ job: 'tr1', by: ada });
    await claims.release('run 1', 'tr1');
    expect(await claims.take('run 1', 'failed', 'tr2', grace)).toEqual({ taken: true });
  });
});
