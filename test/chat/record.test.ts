import { expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { createRecord } from '../../src/chat/record.js';
import { createLog } from '../../src/log.js';
import { useStore } from '../support/redis.js';

const at = useStore();

it('a row never lasted less than no time, whatever the clocks say', async () => {
  const record = createRecord({ store: at.store, catalog: createCatalog([]), log: createLog({ level: 'silent' }) });
  const person = { team: 'T1', user: 'U0ADA00001' };
  await record({
    person,
    login: 'ada',
    command: 'deploy',
    args: {},
    operations: [],
    outcome: 'done',
    durationMs: -5_000,
  });
  expect((await at.store.audit.read({}, { limit: 1 })).rows[0]?.entry).toMatchObject({ durationMs: 0 });
});
