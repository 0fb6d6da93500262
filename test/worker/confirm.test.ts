import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createForge, type Forge } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import { confirmAll } from '../../src/worker/confirm.js';
import { useStore } from '../support/redis.js';

describe('accounts that an earlier version linked without signing', () => {
  const at = useStore();
  let forge: SandboxForge;
  let client: Forge;
  beforeEach(async () => {
    forge = await startForge();
    client = createForge({ url: forge.url, retry: { attempts: 1 } });
  });
  afterEach(async () => {
    await client.close();
    await forge.close();
  });
  const log = createLog({ level: 'silent' });
  const confirm = () => confirmAll({ store: at.store, forge: client, log });
  const person = (user: string) => ({ team: 'T1', user });

  /** As it was stored before: what the person entered, without a signature. */
  async function linked(user: string, login: string, token: string): Promise<void> {
    const link = { login, forgeUserId: 99, verified: true, credential: { kind: 'token', token } } as const;
    await at.store.accounts.put(person(user), link);
    const key = 'bellows:{f0:T1}:accounts';
    const { signed: _, ...row } = JSON.parse((await at.redis.hget(key, user)) ?? '');
    await at.redis.hset(key, user, JSON.stringify(row));
  }

  it('belong to whom the forge says, not to whom they say', async () => {
    await linked('U1', 'ada', forge.account('grace').token());
    expect(await at.store.accounts.get(person('U1'))).toMatchObject({ verified: false, forgeUserId: null });
    await confirm();
    const id = forge.world.user('grace')?.id;
    expect(await at.store.accounts.get(person('U1'))).toMatchObject({
      login: 'grace',
      verified: true,
      forgeUserId: id,
    });
    expect(await at.store.accounts.unsigned('T1')).toEqual([]);
  });

  it('stay unconfirmed if the forge does not know the token, and the others are still checked', async () => {
    await linked('U1', 'ada', 'a token of nobody');
    await linked('U2', 'grace', forge.account('grace').token());
    await confirm();
    expect(await at.store.accounts.get(person('U1'))).toMatchObject({ state: 'active', verified: false });
    expect(await at.store.accounts.get(person('U2'))).toMatchObject({ verified: true });
  });

  it('are left alone if the person links another account while the forge is asked', async () => {
    await linked('U1', 'ada', forge.account('ada').token());
    forge.faults.add({ on: 'GET /user', trouble: { delay: 200 } });
    const asked = forge.requests.next(/^GET \/user$/);
    const confirmed = confirm();
    await asked;
    at.pass(1_000);
    const link = {
      login: 'grace',
      forgeUserId: 2,
      verified: true,
      credential: { kind: 'token', token: forge.account('grace').token() },
    } as const;
    await at.store.accounts.put(person('U1'), link);
    await confirmed;
    expect(await at.store.accounts.get(person('U1'))).toMatchObject({ login: 'grace', forgeUserId: 2 });
  });

  it('are left alone once they are signed out or signed', async () => {
    await linked('U1', 'ada', forge.account('ada').token());
    await at.store.accounts.put(person('U2'), {
      login: 'grace',
      forgeUserId: 2,
      verified: true,
      credential: { kind: 'token', token: forge.account('grace').token() },
    });
    await at.store.accounts.forget(person('U1'));
    await confirm();
    expect(await at.store.accounts.get(person('U1'))).toBeUndefined();
    expect(forge.requests.of('GET /user')).toEqual([]);
  });
});
