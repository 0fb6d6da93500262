import { beforeEach, describe, expect, it } from 'vitest';
import { credentialOf, presentAccount } from '../../src/chat/credential.js';
import { ApiError, type Forge, OAuthRefusal, signingIn } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import type { OAuthCredential } from '../../src/store/index.js';
import { createLatch } from '../support/latch.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const ada = { team: 'T1', user: 'U0ADA00001' };
const hour = 3_600_000;

type Tokens = Awaited<ReturnType<NonNullable<Forge['oauth']>['refresh']>>;
let renew: (token: string) => Promise<Tokens>;
let me: () => Promise<{ id: number; login: string }>;
/** The refresh tokens that the forge was given. */
const sent: string[] = [];

beforeEach(() => {
  sent.length = 0;
  renew = async () => ({ access: 'access 2', refresh: 'refresh 2', lifeMs: hour });
  me = async () => ({ id: 7, login: 'ada' });
});

const ports = ({ registered = true } = {}) => ({
  store: at.store,
  forge: {
    oauth: registered
      ? {
          refresh: (token: string) => {
            sent.push(token);
            return renew(token);
          },
        }
      : undefined,
    as: () => ({ users: { me: () => me() } }),
  } as unknown as Forge,
  log: createLog({ level: 'silent' }),
});

const link = (credential: Parameters<typeof at.store.accounts.put>[1]['credential'], verified = true) =>
  at.store.accounts.put(ada, { login: 'ada', forgeUserId: verified ? 7 : null, verified, credential });
const oauth = (leftMs: number, more: Partial<OAuthCredential> = {}): OAuthCredential => ({
  kind: 'oauth',
  access: 'access 1',
  refresh: 'refresh 1',
  expiresAt: at.now() + leftMs,
  lifeMs: hour,
  ...more,
});

async function renewed(given = ports()) {
  const credential = await credentialOf(given, ada);
  if (credential?.kind !== 'renewed') throw new Error('ada is linked by a sign-in');
  return { token: credential.token, afterRefusal: credential.afterRefusal ?? (async () => undefined) };
}
const failure = (kind: ApiError['kind'], status?: number) => new ApiError({ kind, operation: signingIn, status });
const isRefused = { kind: 'unauthorized', status: 401, operation: 'oauth.token' };

describe('a token from a sign-in', () => {
  it('is as it was linked if it is no sign-in’s, and absent if nobody is linked', async () => {
    expect(await credentialOf(ports(), ada)).toBeUndefined();
    await link({ kind: 'token', token: 'typed' });
    expect(await credentialOf(ports(), ada)).toEqual({ kind: 'token', token: 'typed' });
  });

  it('is renewed two minutes before it expires, and stored for others', async () => {
    await link(oauth(2 * 60_000 + 1));
    const { token } = await renewed();
    expect(await token()).toBe('access 1');
    expect(sent).toEqual([]);
    at.pass(1);
    expect(await token()).toBe('access 2');
    expect(await token()).toBe('access 2');
    expect(sent).toEqual(['refresh 1']);
    expect(await at.store.accounts.credential(ada)).toEqual({
      kind: 'oauth',
      access: 'access 2',
      refresh: 'refresh 2',
      expiresAt: at.now() + hour,
      lifeMs: hour,
    });
  });

  it('is renewed in the last quarter of a short life', async () => {
    await link(oauth(15_001, { lifeMs: 60_000 }));
    const { token } = await renewed();
    expect(await token()).toBe('access 1');
    at.pass(1);
    expect(await token()).toBe('access 2');
  });

  it('is renewed like any other if its record does not say how long it lives', async () => {
    await link(oauth(2 * 60_000, { lifeMs: undefined }));
    expect(await (await renewed()).token()).toBe('access 2');
  });

  it('keeps its refresh token if the forge returns none', async () => {
    renew = async () => ({ access: 'access 2', refresh: undefined, lifeMs: hour });
    await link(oauth(0));
    await (await renewed()).token();
    expect(await at.store.accounts.credential(ada)).toMatchObject({ access: 'access 2', refresh: 'refresh 1' });
  });

  it('that another process renewed is used', async () => {
    await link(oauth(0));
    const { token } = await renewed();
    const next = oauth(hour, { access: 'by another' });
    await at.store.renewals.put(ada, oauth(0), next);
    expect(await token()).toBe('by another');
    expect(sent).toEqual([]);
    // and nothing keeps the next one from renewing it
    at.pass(hour);
    expect(await token()).toBe('access 2');
  });

  it('is renewed by one, and the others wait for it', async () => {
    await link(oauth(0));
    const all = await Promise.all([renewed(), renewed(), renewed()]);
    const finished = createLatch();
    renew = async () => {
      await finished.opened;
      return { access: 'access 2', refresh: 'refresh 2', lifeMs: hour };
    };
    const asked = all.map(({ token }) => token());
    await expect.poll(() => sent).toHaveLength(1);
    finished.open();
    expect(await Promise.all(asked)).toEqual(['access 2', 'access 2', 'access 2']);
    expect(sent).toEqual(['refresh 1']);
  });

  it('can be renewed later if it could not be renewed now', async () => {
    await link(oauth(0));
    const { token } = await renewed();
    const works = renew;
    renew = async () => {
      throw failure('unavailable', 503);
    };
    await expect(token()).rejects.toMatchObject({ kind: 'unavailable' });
    renew = works;
    expect(await token()).toBe('access 2');
  });

  it('is no longer used once its person has signed out or links by a token', async () => {
    await link(oauth(0));
    const { token } = await renewed();
    await link({ kind: 'token', token: 'typed' });
    await expect(token()).rejects.toMatchObject(isRefused);
    await at.store.accounts.forget(ada);
    await expect(token()).rejects.toMatchObject(isRefused);
    expect(sent).toEqual([]);
  });

  it('is not used if its person signs out while it is renewed', async () => {
    await link(oauth(60_000));
    renew = async () => {
      await at.store.accounts.forget(ada);
      return { access: 'access 2', refresh: 'refresh 2', lifeMs: hour };
    };
    await expect((await renewed()).token()).rejects.toMatchObject(isRefused);
  });
});

describe('a token that cannot be renewed', () => {
  const cases: [string, () => Promise<Tokens>, object][] = [
    ['the forge does not answer', async () => Promise.reject(failure('unavailable', 503)), { kind: 'unavailable' }],
    [
      'the application’s own secret is wrong',
      async () => Promise.reject(new OAuthRefusal('invalid_client', 'no')),
      { kind: 'unavailable', neverSent: true, hint: expect.stringContaining('Ask a Bellows admin') },
    ],
  ];
  it.each(cases)('because %s is used until it expires', async (_, refuse, otherwise) => {
    renew = refuse;
    await link(oauth(1));
    const { token } = await renewed();
    expect(await token()).toBe('access 1');
    at.pass(1);
    await expect(token()).rejects.toMatchObject(otherwise);
    expect(await at.store.accounts.credential(ada)).toMatchObject({ access: 'access 1', refresh: 'refresh 1' });
  });

  it.each([
    ['it has no refresh token', { refresh: undefined }, { registered: true }],
    ['Bellows is no longer registered', {}, { registered: false }],
  ])('because %s is used until it expires', async (_, more, given) => {
    await link(oauth(1, more));
    const { token } = await renewed(ports(given));
    expect(await token()).toBe('access 1');
    at.pass(1);
    await expect(token()).rejects.toMatchObject(isRefused);
    expect(sent).toEqual([]);
  });

  it.each([
    ['the forge withdrew it', () => new OAuthRefusal('invalid_grant', 'unknown'), isRefused],
    ['the forge refuses it', () => failure('unauthorized', 401), { kind: 'unauthorized' }],
    ['Bellows failed', () => new Error('no memory'), { message: 'no memory' }],
  ])('because %s is not used, even before it expires', async (_, error, otherwise) => {
    renew = async () => Promise.reject(error());
    await link(oauth(60_000));
    await expect((await renewed()).token()).rejects.toMatchObject(otherwise);
  });
});

describe('a token that the forge refuses before it expires', () => {
  it('is renewed once, whatever its record says', async () => {
    await link(oauth(hour));
    const { token, afterRefusal } = await renewed();
    expect(await token()).toBe('access 1');
    expect(await afterRefusal()).toBe('access 2');
    expect(await token()).toBe('access 2');
    expect(await afterRefusal()).toBeUndefined();
    expect(sent).toEqual(['refresh 1']);
  });

  it('is not used again if it cannot be renewed', async () => {
    await link(oauth(hour));
    renew = async () => Promise.reject(failure('unavailable', 503));
    await expect((await renewed()).afterRefusal()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('who a person is at the forge now', () => {
  it('is nobody without a link, with one that was not confirmed, or with a revoked one', async () => {
    expect(await presentAccount(ports(), ada)).toBeUndefined();
    await link({ kind: 'token', token: 'typed' }, false);
    expect(await presentAccount(ports(), ada)).toBeUndefined();
    await link({ kind: 'token', token: 'typed' });
    const account = await at.store.accounts.get(ada);
    expect(await presentAccount(ports(), ada)).toEqual(account);
    await at.store.accounts.markRevoked(ada, account?.linkedAt ?? 0);
    expect(await presentAccount(ports(), ada)).toBeUndefined();
  });

  it('follows a new name, but not another account', async () => {
    await link({ kind: 'token', token: 'typed' });
    me = async () => ({ id: 7, login: 'lovelace' });
    expect(await presentAccount(ports(), ada)).toMatchObject({ login: 'lovelace', forgeUserId: 7 });
    expect(await at.store.accounts.get(ada)).toMatchObject({ login: 'lovelace' });
    me = async () => ({ id: 8, login: 'lovelace' });
    expect(await presentAccount(ports(), ada)).toBeUndefined();
  });

  it('leaves the record alone if nothing changed', async () => {
    await link({ kind: 'token', token: 'typed' });
    let renames = 0;
    const { rename } = at.store.accounts;
    at.store.accounts.rename = async (...given) => {
      renames += 1;
      return rename(...given);
    };
    await presentAccount(ports(), ada);
    expect(renames).toBe(0);
  });

  it.each(['unauthorized', 'forbidden', 'notFound'] as const)('is nobody if the forge says %s', async (kind) => {
    await link({ kind: 'token', token: 'typed' });
    me = async () => Promise.reject(failure(kind));
    expect(await presentAccount(ports(), ada)).toBeUndefined();
  });

  it('is not known while the forge does not answer', async () => {
    await link({ kind: 'token', token: 'typed' });
    me = async () => Promise.reject(failure('unavailable', 503));
    await expect(presentAccount(ports(), ada)).rejects.toMatchObject({ kind: 'unavailable' });
    me = async () => Promise.reject(new Error('no memory'));
    await expect(presentAccount(ports(), ada)).rejects.toThrow('no memory');
  });
});
