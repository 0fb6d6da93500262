import { expect, it } from 'vitest';
import type { Queue } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const world = useStore();
const of = { repository: 1, base: 'main' };
const by = { team: 'T1', user: 'A', login: 'ada', forgeUserId: 1 };
const entry: Queue['entries'][number] = {
  ...{ key: 'one', index: 1, title: 'One', head: 'a'.repeat(40), by, style: 'merge', deleteBranch: false, since: 0 },
  ...{ isFork: false, overtaken: 0, reruns: 0, sent: [], step: { at: 'waiting' } },
};
const queue: Queue = {
  ...{ ...of, owner: 'acme', repo: 'engine', entries: [entry], asked: [], recent: [], branches: [] },
};
const paused = { at: 0, reason: 'Release day' };
const holdMs = 45_000;

/** Held by a worker. */
async function held(before: Queue = queue): Promise<string> {
  await world.store.queues.change(of, () => before);
  world.pass(1_000);
  const [due] = await world.store.queues.due(holdMs);
  return due?.turn ?? '';
}

it('is written only by the worker whose turn it is', async () => {
  const { queues } = world.store;
  const first = await held();
  world.pass(holdMs);
  const [second] = await queues.due(holdMs);
  expect(second?.turn).not.toBe(first);
  expect(await queues.step(of, first, (before) => ({ ...before, entries: [] }), 0)).toBeUndefined();
  expect((await queues.get(of))?.entries).toHaveLength(1);
  expect(await queues.due(holdMs)).toEqual([]);
  expect(await queues.step(of, second?.turn ?? '', (before) => before, 0)).toBeDefined();
});

it('stays with its worker while people change it', async () => {
  const { queues } = world.store;
  const turn = await held();
  await queues.change(of, (before) => before && { ...before, entries: [entry, { ...entry, key: 'two', index: 2 }] });
  world.pass(1_000);
  expect(await queues.due(holdMs)).toEqual([]);
  expect(await queues.step(of, turn, (before) => before, 0)).toMatchObject({ entries: [{ index: 1 }, { index: 2 }] });
});

it('is looked at soon once it is resumed', async () => {
  const { queues } = world.store;
  const turn = await held({ ...queue, paused });
  await queues.step(of, turn, (before) => before, 30_000);
  await queues.change(of, () => queue);
  world.pass(1_000);
  expect(await queues.due(holdMs)).toMatchObject([{ id: of }]);
});

it('remembers that it is paused while nothing is in it, and is forgotten otherwise', async () => {
  const { queues } = world.store;
  const empty = { ...queue, entries: [] };
  expect(await held({ ...empty, paused })).not.toBe('');
  expect(await queues.get(of)).toMatchObject({ paused });
  world.pass(holdMs);
  expect(await held(empty)).toBe('');
  expect(await queues.get(of)).toBeUndefined();
});
