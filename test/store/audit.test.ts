import { describe, expect, it, vi } from 'vitest';
import { createSeal, createStore } from '../../src/store/index.js';
import { strayKeys, testKey, testKeys, useStore } from '../support/redis.js';

const at = useStore();
const chain = 'bellows:{f0:audit}:chain';

const row = (command: string, user = 'U1') => ({
  who: { team: 'T1', user },
  command,
  args: { repo: 'ada/engine' },
  outcome: 'done',
});
const write = async (count: number) => {
  for (let n = 1; n <= count; n += 1) await at.store.audit.append(row(`command ${n}`, n % 2 ? 'U1' : 'U2'));
};
const again = (keys: string) =>
  createStore({ redis: at.redis, forgeId: 'f0', seal: createSeal(keys), now: at.now }).audit;
/** Rewrites row 2 with another text, as someone with access to Redis could. */
async function forge(): Promise<void> {
  const rows = await at.redis.xrange(chain, '-', '+');
  await at.redis.del(chain);
  for (const [id, [, text = '', , hash = '']] of rows) {
    const shown = id === '2-0' ? text.replace('command 2', 'command 9') : text;
    await at.redis.xadd(chain, id, 'e', shown, 'h', hash);
  }
}

describe('audit', () => {
  it('keeps events, newest first', async () => {
    await write(3);
    const { rows, next } = await at.store.audit.read();
    expect(rows.map(({ entry }) => entry.command)).toEqual(['command 3', 'command 2', 'command 1']);
    expect(next).toBeUndefined();
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('pages', async () => {
    await write(5);
    const first = await at.store.audit.read({}, { limit: 2 });
    const second = await at.store.audit.read({}, { limit: 2, ...(first.next ? { before: first.next } : {}) });
    expect(second.rows.map(({ seq }) => seq)).toEqual([3, 2]);
  });

  it('filters by person, command and time', async () => {
    await write(4);
    at.pass(1000);
    await at.store.audit.append({ ...row('issue close', 'U3'), approvedBy: [{ team: 'T1', user: 'U2' }] });
    const commands = async (filters: Parameters<typeof at.store.audit.read>[0]) =>
      (await at.store.audit.read(filters)).rows.map(({ entry }) => entry.command);
    expect(await commands({ user: 'U2' })).toEqual(['issue close', 'command 4', 'command 2']);
    expect(await commands({ command: 'issue' })).toEqual(['issue close']);
    expect(await commands({ command: 'iss' })).toEqual([]);
    expect(await commands({ since: at.now() })).toEqual(['issue close']);
    expect(await commands({ until: at.now() })).toHaveLength(4);
  });

  it('is one chain however many processes write at once', async () => {
    const processes = [at.store.audit, again(testKeys), again(testKeys)];
    await Promise.all(
      processes.flatMap((audit) => Array.from({ length: 30 }, (_, n) => audit.append(row(`command ${n}`)))),
    );
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 90 });
    expect((await at.store.audit.head()).seq).toBe(90);
  });

  it('verifies across many pages', async () => {
    await Promise.all(Array.from({ length: 450 }, (_, n) => at.store.audit.append(row(`command ${n}`))));
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 450 });
    const seen: number[] = [];
    for await (const { seq } of at.store.audit.export()) seen.push(seq);
    expect(seen).toEqual(Array.from({ length: 450 }, (_, n) => n + 1));
  });

  it('names the first row that was changed', async () => {
    await write(4);
    await forge();
    expect(await at.store.audit.verify()).toMatchObject({ ok: false, brokenAt: 2, rows: 1 });
  });

  it('names a removed row', async () => {
    await write(4);
    await at.redis.xdel(chain, '3-0');
    expect(await at.store.audit.verify()).toEqual({ ok: false, brokenAt: 3, rows: 2, reason: 'row 3 is missing' });
  });

  it('notices that the end was cut off', async () => {
    await write(3);
    const known = await at.store.audit.append(row('last'));
    const [, , third] = await at.redis.xrange(chain, '-', '+');
    await at.redis.xdel(chain, '4-0');
    expect(await at.store.audit.verify()).toMatchObject({ ok: false, brokenAt: 4, reason: 'the end is missing' });
    // even if the head was changed to match, a head from the log reveals it
    await at.redis.hset('bellows:{f0:audit}:head', 'seq', '3', 'hash', third?.[1][3] ?? '');
    expect(await at.store.audit.verify()).toMatchObject({ ok: true });
    expect(await at.store.audit.verify(known)).toMatchObject({ ok: false, brokenAt: 4 });
  });

  it('is trimmed behind a signed checkpoint', async () => {
    await write(6);
    expect(await at.store.audit.trim(4)).toBe(4);
    expect(await at.store.audit.trim(4)).toBe(0);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 2, from: 4 });
    await at.store.audit.append(row('next'));
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 3 });
    const list = 'bellows:{f0:audit}:checkpoints';
    const text = (await at.redis.lindex(list, 0)) ?? '';
    await at.redis.lset(list, 0, text.replace('"seq":4', '"seq":5'));
    expect(await at.store.audit.verify()).toMatchObject({ ok: false, reason: /checkpoint/ });
  });

  it('verifies rows of an older key as long as it is listed', async () => {
    const [, old = ''] = testKeys.split(',');
    await again(old).append(row('before rotation'));
    await at.store.audit.append(row('after rotation'));
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 2 });
    expect(await again(testKeys.split(',')[0] ?? '').verify()).toMatchObject({ ok: false, brokenAt: 1 });
  });

  it.each([
    ['far behind', '999-0', 'garbage'],
    ['at the next place', '4-0', '{"v":1}'],
    ['between two places', '3-1', '{"v":1}'],
    ['at the last place there is', '18446744073709551615-18446744073709551615', 'x'],
  ])('names a row that someone else added %s, and continues without it', async (_, id, text) => {
    await write(3);
    await at.redis.xadd(chain, id, 'e', text, 'h', 'k1.00');
    expect(await at.store.audit.verify()).toMatchObject({
      ok: false,
      brokenAt: 4,
      reason: `row ${id} was not written by Bellows`,
    });
    expect((await at.store.audit.read()).rows).toHaveLength(3);
    expect(await at.store.audit.append(row('next'))).toMatchObject({ seq: 4 });
    const seen: string[] = [];
    for await (const { entry } of at.store.audit.export()) seen.push(entry.command);
    expect(seen.filter((command) => command !== '(audit)')).toEqual(['command 1', 'command 2', 'command 3', 'next']);
    if (id === '3-1') return;
    expect(await at.store.audit.foreign()).toEqual([expect.stringContaining(id)]);
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).toHaveLength(1);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true });
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('sets aside as many rows as someone adds', async () => {
    await write(2);
    const pipe = at.redis.pipeline();
    for (let n = 0; n < 2_345; n += 1) pipe.xadd(chain, `${100 + n}-0`, 'e', 'x', 'h', 'y');
    await pipe.exec();
    expect(await at.store.audit.append(row('next'))).toMatchObject({ seq: 3 });
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).toHaveLength(1);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 4 });
  });

  it.each([
    ['taken away', () => at.redis.del('bellows:{f0:audit}:head')],
    ['made into nonsense', () => at.redis.hset('bellows:{f0:audit}:head', 'seq', 'many', 'hash', 'x')],
    ['set back', () => at.redis.hset('bellows:{f0:audit}:head', 'seq', '1', 'hash', 'k1.00')],
  ])('continues from its last row when the head was %s', async (_, bend) => {
    await write(4);
    await bend();
    expect(await at.store.audit.append(row('next'))).toMatchObject({ seq: 5 });
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).toHaveLength(1);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 6 });
  });

  const forgedRow = (command: string) => JSON.stringify({ v: 1, at: at.now(), ...row(command) });
  const commands = async () => (await at.store.audit.read()).rows.map(({ entry }) => entry.command);
  const exported = async () => {
    const seen: string[] = [];
    for await (const { entry } of at.store.audit.export()) seen.push(entry.command);
    return seen;
  };

  it.each([
    ['our key', 'k1.00'],
    ['a key that nobody has', 'k9.00'],
  ])('neither shows nor continues a row that someone else added with its head, under %s', async (_, hash) => {
    await write(3);
    await at.redis.xadd(chain, '4-0', 'e', forgedRow('forged'), 'h', hash);
    await at.redis.hset('bellows:{f0:audit}:head', 'seq', '4', 'hash', hash);
    expect(await exported()).not.toContain('forged');
    expect(await commands()).not.toContain('forged');
    await at.store.audit.append(row('next'));
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).not.toEqual([]);
    expect(await at.store.audit.foreign()).toEqual([expect.stringContaining('4-0')]);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true });
    expect(await commands()).toContain('next');
  });

  it('leaves out a row that was changed, and reports it once', async () => {
    await write(4);
    await forge();
    expect(await commands()).toEqual(['command 4', 'command 3', 'command 1']);
    expect((await exported()).slice(0, 3)).toEqual(['command 1', 'command 3', 'command 4']);
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).toHaveLength(1);
  });

  it('skips the rows that someone adds in between, however many they are and whatever they copy', async () => {
    await write(1);
    const [[, fields] = ['', []]] = await at.redis.xrange(chain, '-', '+');
    const pipe = at.redis.pipeline();
    for (let n = 1; n <= 10_200; n += 1) pipe.xadd(chain, `1-${n}`, ...fields);
    await pipe.exec();
    const reads = vi.spyOn(at.redis, 'xrevrange');
    expect(await commands()).toEqual(['command 1']);
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
  });

  it('shows rows of a key that was removed, and continues them', async () => {
    const [newer = '', old = ''] = testKeys.split(',');
    for (const command of ['one', 'two']) await again(old).append(row(command));
    const after = again(newer);
    expect((await after.read()).rows).toHaveLength(2);
    expect(await after.append(row('three'))).toMatchObject({ seq: 3 });
    await at.redis.xadd(chain, '4-0', 'e', forgedRow('forged'), 'h', 'k0.00');
    await at.redis.hset('bellows:{f0:audit}:head', 'seq', '4', 'hash', 'k0.00');
    expect(await again(newer).append(row('four'))).toMatchObject({ seq: 4 });
    expect(await at.store.audit.foreign()).toEqual([expect.stringContaining('4-0')]);
    expect((await after.read()).rows.map(({ entry }) => entry.command)).toContain('one');
  });

  it('sets nothing aside after its key was lost, even if another one has its id', async () => {
    await write(3);
    expect(await again(`k1:${testKey(5)}`).append(row('next'))).toMatchObject({ seq: 4 });
    expect(await at.store.audit.foreign()).toEqual([]);
  });

  it('continues behind its checkpoint when everything after it is someone else’s', async () => {
    await write(3);
    await at.store.audit.trim(1);
    await at.redis.xdel(chain, '3-0');
    await at.redis.xadd(chain, '50-0', 'e', 'x', 'h', 'y');
    expect(await at.store.audit.append(row('next'))).toMatchObject({ seq: 3 });
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).toHaveLength(1);
  });

  it('is whole when it is empty', async () => {
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 0 });
    expect(await at.store.audit.read()).toEqual({ rows: [] });
  });
});
