import { expect, it } from 'vitest';
import { useStore } from '../support/redis.js';

const world = useStore();
const person = { team: 'T1', user: 'A' };
const other = { team: 'T1', user: 'B' };
const ids = (...numbers: number[]) => numbers.map((number) => `j-${number}`);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const admit = (id: string, by = person) => world.store.turns.admit({ person: by, id });
const take = (id: string, by = person) => world.store.turns.take({ person: by, id });
const leave = (id: string) => world.store.turns.leave({ person, id });
const ahead = (id: string) => world.store.turns.ahead({ person, id });

const jobKey = (id: string) => `{bellows:f0:act}:act:${id}`;
/** As the queue stores and ends a job. */
const stored = (id: string) => world.redis.hset(jobKey(id), 'data', '{}');
const ended = (id: string) => world.redis.hset(jobKey(id), 'data', '{}', 'finishedOn', 1);

async function accepted(...numbers: number[]): Promise<void> {
  for (const id of ids(...numbers)) {
    await admit(id);
    await stored(id);
  }
}

it('runs three of each person’s commands now and the others later', async () => {
  const turns = [];
  for (const id of ids(...upTo(5))) turns.push(await admit(id));
  expect(turns).toEqual(['now', 'now', 'now', 'later', 'later']);
  expect(await admit('j-9', other)).toBe('now');
  expect([await take('j-1'), await take('j-3'), await take('j-4')]).toEqual([true, true, false]);
  expect(await take('j-9', other)).toBe(true);
});

it('gives a redelivered command the turn it has', async () => {
  await accepted(...upTo(4));
  expect([await admit('j-3'), await admit('j-4')]).toEqual(['now', 'later']);
  expect(await leave('j-1')).toEqual(['j-4']);
});

it('gives no second turn to a redelivered command that has ended', async () => {
  await accepted(...upTo(4));
  await ended('j-1');
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
  expect(await take('j-4')).toBe(false);
  world.pass(600_000);
  expect(await take('j-1')).toBe(true);
  expect(await ahead('j-5')).toEqual(ids(1, 2, 3, 4));
});

it('names what was accepted before a command, which is nothing for the first and for an unknown one', async () => {
  await accepted(1, 2, 3);
  expect([await ahead('j-1'), await ahead('j-3'), await ahead('j-7')]).toEqual([[], ids(1, 2), []]);
});

it('lines up a command whose turn was forgotten when it asks again', async () => {
  await accepted(1, 2);
  await stored('j-0');
  expect(await take('j-0')).toBe(true);
  expect(await ahead('j-0')).toEqual(ids(1, 2));
});

it('knows a command as accepted from storing on, and for as long as the queue keeps it', async () => {
  await admit('j-1');
  expect(await world.store.turns.isAccepted('j-1')).toBe(false);
  await stored('j-1');
  expect(await world.store.turns.isAccepted('j-1')).toBe(true);
  await ended('j-1');
  await leave('j-1');
  expect(await world.store.turns.isAccepted('j-1')).toBe(true);
  await world.redis.del(jobKey('j-1'));
  expect(await world.store.turns.isAccepted('j-1')).toBe(false);
});

it('refuses a hundred and first command until one of them ends', async () => {
  await accepted(...upTo(99));
  expect(await admit('j-100')).toBe('later');
  await stored('j-100');
  expect(await admit('j-101')).toBe('tooMany');
  expect(await admit('j-1', other)).toBe('now');
  // however far back in the line
  await ended('j-60');
  expect(await admit('j-101')).toBe('later');
});

it('passes on the slot of what was never stored, but not before its bot had time to', async () => {
  for (const id of ids(1, 2, 3)) await admit(id);
  expect(await take('j-4')).toBe(false);
  world.pass(10_000);
  expect(await take('j-4')).toBe(false);
  world.pass(10_000);
  expect(await take('j-4')).toBe(true);
});

it('has room again once what fills it was never stored', async () => {
  for (const id of ids(...upTo(100))) await admit(id);
  expect(await admit('j-101')).toBe('tooMany');
  world.pass(20_000);
  expect(await admit('j-101')).toBe('now');
});

it('leaves the slot to a command that runs for long', async () => {
  await accepted(...upTo(4));
  world.pass(3_600_000);
  expect(await take('j-4')).toBe(false);
});

it('passes on the slot of what ended without leaving', async () => {
  await accepted(...upTo(4));
  await ended('j-3');
  expect(await take('j-4')).toBe(true);
});

it('starts as many as ended, also those that ended without leaving', async () => {
  await accepted(...upTo(8));
  expect(await leave('j-2')).toEqual(['j-4']);
  for (const id of ids(1, 3)) await ended(id);
  expect(await leave('j-4')).toEqual(ids(5, 6, 7));
  for (const id of ids(5, 6, 7)) await ended(id);
  await accepted(9, 10, 11);
  // a later one that was refused
  expect(await leave('j-10')).toEqual(ids(8, 9, 11));
});

it('starts nothing when the last one leaves', async () => {
  await accepted(1, 2);
  expect([await leave('j-1'), await leave('j-2')]).toEqual([[], []]);
});

it('forgets a person who asked for nothing within a day', async () => {
  await accepted(...upTo(4));
  const [key = ''] = (await world.redis.keys('*')).filter((each) => each.includes('turns'));
  expect(await world.redis.pttl(key)).toBeGreaterThan(86_000_000);
  expect(await world.redis.pttl(key)).toBeLessThanOrEqual(86_400_000);
});
