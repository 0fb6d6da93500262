import { expect, it } from 'vitest';
import { createTurns } from '../../src/mcp/door.js';

/** Work that ends when the test says so. */
function held() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (id: number) => async () => {
    begun.push(id);
    await new Promise<void>((resolve) => {
      ends[id] = resolve;
    });
    return id;
  };
  return { begun, work, end: (id: number) => ends[id]?.() };
}

it('runs two calls of an agent at once, and the others in order', async () => {
  const inTurn = createTurns();
  const { begun, work, end } = held();
  const calls = [0, 1, 2, 3].map((id) => inTurn('one', work(id)));
  const other = inTurn('two', work(4));
  expect(begun).toEqual([0, 1, 4]);
  end(1);
  await calls[1];
  await expect.poll(() => begun).toEqual([0, 1, 4, 2]);
  end(0);
  await expect.poll(() => begun).toEqual([0, 1, 4, 2, 3]);
  for (const id of [2, 3, 4]) end(id);
  expect(await Promise.all([...calls, other])).toEqual([0, 1, 2, 3, 4]);
});

it('continues after a failed call', async () => {
  const inTurn = createTurns();
  const broken = () => Promise.reject(new Error('broken'));
  const calls = [broken, broken, broken, async () => 'done'].map((work) => inTurn('one', work));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
});

it('never runs more than two, whatever ended before', async () => {
  const inTurn = createTurns();
  for (const id of [0, 1, 2]) expect(await inTurn('one', async () => id)).toBe(id);
  const { begun, work, end } = held();
  const calls = [0, 1].map((id) => inTurn('one', work(id)));
  end(0);
  await calls[0];
  calls.push(...[2, 3].map((id) => inTurn('one', work(id))));
  expect(begun).toEqual([0, 1, 2]);
  for (const id of [1, 2]) end(id);
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  end(3);
  await Promise.all(calls);
});

it('refuses calls behind too long a queue, of one agent and of all', async () => {
  const inTurn = createTurns();
  const { begun, work, end } = held();
  const mine = Array.from({ length: 22 }, (_, id) => inTurn('one', work(id)));
  await expect(inTurn('one', work(99))).rejects.toThrow('Too many calls are waiting');
  const others = Array.from({ length: 178 }, (_, id) => inTurn(`agent ${id}`, work(100 + id)));
  await expect(inTurn('late', work(999))).rejects.toThrow('Too many calls are waiting');
  for (let id = 100; id < 278; id += 1) end(id);
  await Promise.all(others);
  // the places of those that ended are free again
  expect(await inTurn('late', async () => 'done')).toBe('done');
  for (const [id, call] of mine.entries()) {
    await expect.poll(() => begun).toContain(id);
    end(id);
    expect(await call).toBe(id);
  }
});
