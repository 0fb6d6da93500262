import { expect, it } from 'vitest';
import { useStore } from '../support/redis.js';

const world = useStore();
const person = { team: 'T1', user: 'A' };
const other = { team: 'T1', user: 'B' };
const ids = (...numbers: number[]) => numbers.map((number) => `j-${number}`);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const admit = (id: string, by = person) => world.store.turns.admit({ person: by, id });
const leave = (id: string) => world.store.turns.leave({ person, id });
const ahead = (id: string) => world.store.turns.ahead({ person, id });

const take = async (id: string, by = person) =>
  (await world.store.turns.take({ person: by, id })).map((each) => each.id);
const isAccepted = (id: string, by = person) => world.store.turns.isAccepted({ person: by, id });

async function accepted(...numbers: number[]): Promise<void> {
  for (const id of ids(...numbers)) await admit(id);
}

it('runs three of each person’s commands now and the others later', async () => {
  const turns = [];
  for (const id of ids(...upTo(5))) turns.push(await admit(id));
  expect(turns).toEqual(['now', 'now', 'now', 'later', 'later']);
  expect(await admit('j-9', other)).toBe('now');
  expect([await take('j-1'), await take('j-3'), await take('j-4')]).toEqual([[], [], ids(1, 2, 3)]);
  expect(await take('j-9', other)).toEqual([]);
});

it('gives a redelivered command the turn it has', async () => {
  await accepted(...upTo(4));
  expect([await admit('j-3'), await admit('j-4')]).toEqual(['now', 'later']);
  expect(await leave('j-1')).toBe('j-4');
});

it('gives no second turn to a redelivered command that has ended', async () => {
  await accepted(...upTo(4));
  await leave('j-1');
  expect(await admit('j-1')).toBe('now');
  expect(await ahead('j-5')).toEqual([]);
  await accepted(5);
  expect(await ahead('j-5')).toEqual(ids(2, 3, 4));
});

it('keeps the order of acceptance, also if the clock goes back', async () => {
  await accepted(1, 2);
  world.pass(-60_000);
  await accepted(3, 4);
  world.pass(30_000);
  await accepted(5);
  expect(await ahead('j-5')).toEqual(ids(1, 2, 3, 4));
  // however often one asks for its turn
  expect(await take('j-4')).toEqual(ids(1, 2, 3));
  world.pass(600_000);
  expect(await take('j-1')).toEqual([]);
  expect(await ahead('j-5')).toEqual(ids(1, 2, 3, 4));
});

it('names what was accepted before a command, which is nothing for the first and for an unknown one', async () => {
  await accepted(1, 2, 3);
  expect([await ahead('j-1'), await ahead('j-3'), await ahead('j-7')]).toEqual([[], ids(1, 2), []]);
});

it('lines up a command whose turn was forgotten when it asks again', async () => {
  await accepted(1, 2);
  expect(await take('j-0')).toEqual([]);
  expect(await ahead('j-0')).toEqual(ids(1, 2));
});

it('knows a command as accepted while it waits and after it ended, but only its own person’s', async () => {
  expect(await isAccepted('j-1')).toBe(false);
  await admit('j-1');
  expect([await isAccepted('j-1'), await isAccepted('j-1', other)]).toEqual([true, false]);
  await leave('j-1');
  expect(await isAccepted('j-1')).toBe(true);
  for (const id of ids(...upTo(101).slice(1))) await leave(id);
  expect([await isAccepted('j-1'), await isAccepted('j-2')]).toEqual([false, true]);
});

it('refuses a hundred and first command until one of them ends', async () => {
  await accepted(...upTo(99));
  expect(await admit('j-100')).toBe('later');
  expect(await admit('j-101')).toBe('tooMany');
  expect(await admit('j-1', other)).toBe('now');
  // however far back in the line
  await leave('j-60');
  expect(await admit('j-101')).toBe('later');
});

it('says who holds the turns, and since when', async () => {
  const at = world.now();
  await accepted(...upTo(4));
  const holders = ids(1, 2, 3).map((id, after) => ({ id, at: at + after }));
  expect(await world.store.turns.holders(person)).toEqual(holders);
  expect(await world.store.turns.take({ person, id: 'j-4' })).toEqual(holders);
});

it('leaves the slot to a command that runs for long', async () => {
  await accepted(...upTo(4));
  world.pass(3_600_000);
  expect(await take('j-4')).toEqual(ids(1, 2, 3));
});

it('starts the next one when one ends', async () => {
  await accepted(...upTo(5));
  expect([await leave('j-2'), await leave('j-1'), await leave('j-3')]).toEqual(['j-4', 'j-5', undefined]);
});

it('starts nothing when the last one leaves', async () => {
  await accepted(1, 2);
  expect([await leave('j-1'), await leave('j-2')]).toEqual([undefined, undefined]);
});

it('forgets a person who asked for nothing within a day', async () => {
  await accepted(...upTo(4));
  await leave('j-1');
  const found = (await world.redis.keys('*')).filter((each) => each.includes('turns'));
  expect(found).toHaveLength(2);
  for (const key of found) {
    expect(await world.redis.pttl(key)).toBeGreaterThan(86_000_000);
    expect(await world.redis.pttl(key)).toBeLessThanOrEqual(86_400_000);
  }
});
