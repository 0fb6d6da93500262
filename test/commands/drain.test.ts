import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { lookNow } from '../support/due.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const edits = 'PATCH /admin/actions/runners/{runner_id}';
const jobs = [{ name: 'build', labels: ['docker'], needs: [], steps: ['make'] }];
const runner = (name: string) => [...bellows.forge.world.state.runners.values()].find((each) => each.name === name);
const direct = () => {
  const ada = bellows.slack.as('ada');
  return ada.sees(ada.dm);
};

beforeAll(async () => {
  bellows = await startBellows({ tempo: { followMs: 100 } });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
beforeEach(async () => {
  const one = runner('builder-1');
  if (one) one.disabled = false;
  bellows.forge.requests.clear();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('disables a busy runner and says when its jobs are done', async () => {
  const run = bellows.forge.world.startRun({ as: 'grace', repo: 'acme/engine', jobs });
  const answer = await type('ada', 'runner drain builder-1 --until-idle');
  expect(answer.text).toContain('Draining');
  expect(words(answer)).toContain('You’ll get a direct message when it is idle.');
  expect(runner('builder-1')?.disabled).toBe(true);
  expect(direct().some(({ text }) => text.includes('is idle'))).toBe(false);
  await lookNow(bellows, 'drains');
  bellows.forge.world.finishRun({ run: run.id, conclusion: 'success' });
  const message = await bellows.slack.until(() => direct().find(({ text }) => text.includes('is idle')));
  expect(message.text).toContain('Runner builder-1 is idle: its jobs are done.');
  expect(runner('builder-1')?.disabled).toBe(true);
});

it('offers to say so if that was not requested', async () => {
  const run = bellows.forge.world.startRun({ as: 'grace', repo: 'acme/engine', jobs });
  const answer = await type('ada', 'runner drain builder-1');
  expect(words(answer)).toContain('Notify me when idle');
  bellows.forge.world.finishRun({ run: run.id, conclusion: 'success' });
  expect(words(await type('ada', 'runner drain builder-1'))).toContain('It is idle.');
});

it('still enables it again after the offer was accepted', async () => {
  const run = bellows.forge.world.startRun({ as: 'grace', repo: 'acme/engine', jobs });
  const answer = await type('ada', 'runner drain builder-1 --until 2h');
  const accepted = words(await click('ada', answer, 'Notify me when idle'));
  expect(accepted).toContain('You’ll get a direct message when it is idle.');
  expect(accepted).toContain('enabled again');
  await lookNow(bellows, 'drains');
  bellows.forge.world.finishRun({ run: run.id, conclusion: 'success' });
  const idle = (shown: { text: string; blocks: readonly unknown[] }) =>
    shown.text.includes('is idle') && words(shown).includes('enabled again');
  await bellows.slack.until(() => direct().find(idle));
});

it('enables it again on time, as the person’s own command, in the audit', async () => {
  const answer = await type('ada', 'runner drain builder-1 --until 2h');
  expect(words(answer)).toContain('It will be enabled again');
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const id = `${person.team}-${person.user}-${runner('builder-1')?.id}`;
  const drain = { runner: runner('builder-1')?.id ?? 0, person, tell: false, since: Date.now() };
  // it is due now
  await store.drains.put(id, { ...drain, enableAt: Date.now() - 1 }, 0);
  await bellows.slack.until(() => direct().find(({ text }) => text.includes('Enabled')));
  expect(runner('builder-1')?.disabled).toBe(false);
  expect(bellows.forge.requests.of(edits).at(-1)).toMatchObject({ who: 'ada', body: { disabled: false } });
  expect(words(await type('ada', 'audit --command "runner enable"'))).toContain('runner enable');
  await close(redis);
});

it('forgets the time when it is drained again without one', async () => {
  const redis = connect(bellows.redisUrl);
  await type('ada', 'runner drain builder-1 --until 2h');
  expect(await redis.zcard('bellows:{main:drains}:due')).toBe(1);
  await type('ada', 'runner enable builder-1');
  await type('ada', 'runner drain builder-1');
  expect(await redis.zcard('bellows:{main:drains}:due')).toBe(0);
  await close(redis);
});

it('never enables early, and only once', async () => {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const one = runner('builder-1');
  const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const id = `${person.team}-${person.user}-${one?.id}`;
  const drain = { runner: one?.id ?? 0, person, tell: false, since: Date.now() };
  const dueAt = async () => Number(await redis.zscore('bellows:{main:drains}:due', id));
  if (one) one.disabled = true;
  const later = Date.now() + 3_600_000;
  await store.drains.put(id, { ...drain, enableAt: later }, 0);
  // it was checked, and waits until it is due
  await expect.poll(dueAt).toBeGreaterThan(later - 60_000);
  expect(bellows.forge.requests.of(edits)).toEqual([]);
  const past = { ...drain, enableAt: Date.now() - 1 };
  await store.drains.put(id, past, 0);
  await expect.poll(() => bellows.forge.requests.of(edits).length).toBe(1);
  await expect.poll(() => redis.exists('bellows:{main:drains}:all')).toBe(0);
  // as if the worker was interrupted before removing it from the list
  if (one) one.disabled = true;
  await store.drains.put(id, past, 0);
  await expect.poll(() => redis.exists('bellows:{main:drains}:all')).toBe(0);
  await type('ada', 'runner show builder-1');
  expect(bellows.forge.requests.of(edits)).toHaveLength(1);
  await close(redis);
});

it('still enables it on time if the forge no longer shows it', async () => {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const drain = { runner: runner('builder-1')?.id ?? 0, person, tell: true, since: Date.now() };
  const times = Number.POSITIVE_INFINITY;
  const heal = bellows.forge.faults.add({
    on: 'GET /admin/actions/runners/{runner_id}',
    times,
    trouble: { status: 404 },
  });
  const later = Date.now() + 3_600_000;
  await store.drains.put('promised', { ...drain, enableAt: later }, 0);
  await store.drains.put('only-watched', drain, 0);
  const waiting = () => redis.zrange('bellows:{main:drains}:due', later - 60_000, '+inf', 'BYSCORE');
  await expect.poll(waiting).toEqual(['promised']);
  await expect.poll(() => redis.zcard('bellows:{main:drains}:due')).toBe(1);
  await store.drains.drop('promised');
  heal();
  await close(redis);
});

it('still says when it is idle after the forge refused to answer', async () => {
  const one = runner('builder-1');
  if (one) one.disabled = true;
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const on = 'GET /admin/actions/runners/{runner_id}';
  const heal = bellows.forge.faults.add({ on, times: Number.POSITIVE_INFINITY, trouble: { status: 403 } });
  const before = direct().filter(({ text }) => text.includes('is idle')).length;
  await store.drains.put('refused', { runner: one?.id ?? 0, person, tell: true, since: Date.now() }, 0);
  // it remembers since when, in case that does not pass
  const since = async () => {
    await redis.zadd('bellows:{main:drains}:due', 0, 'refused');
    return (await store.drains.due(0)).find(({ id }) => id === 'refused')?.value.refusedSince;
  };
  await expect.poll(since).toBeGreaterThan(Date.now() - 60_000);
  heal();
  await redis.zadd('bellows:{main:drains}:due', 0, 'refused');
  const idle = () => direct().filter(({ text }) => text.includes('is idle')).length > before;
  await bellows.slack.until(idle);
  await close(redis);
});

it('says once that it can no longer tell when the person is no longer an admin of the forge', async () => {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const run = bellows.forge.world.startRun({ as: 'grace', repo: 'acme/engine', jobs });
  await type('ada', 'runner drain builder-1 --until-idle');
  const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const one = runner('builder-1');
  const id = `${person.team}-${person.user}-${one?.id}`;
  const now = Date.now();
  const drain = {
    runner: one?.id ?? 0,
    name: 'builder-1',
    person,
    tell: true,
    since: now,
    refusedSince: now - 600_000,
  };
  // a refusal that passed no longer counts
  await store.drains.put(id, drain, 0);
  const isCounting = async () => {
    await redis.zadd('bellows:{main:drains}:due', 0, id);
    const found = (await store.drains.due(0)).find((each) => each.id === id);
    return found && found.value.refusedSince !== undefined;
  };
  await expect.poll(isCounting).toBe(false);
  const ada = bellows.forge.world.user('ada');
  if (ada) ada.admin = false;
  const later = now + 3_600_000;
  await store.drains.put(id, drain, 0);
  await store.drains.put('promised', { ...drain, enableAt: later }, 0);
  const refusals = () => direct().filter(({ text }) => text.includes('no longer lets you see runner builder-1'));
  await bellows.slack.until(() => refusals().length === 2);
  expect(
    refusals()
      .map(words)
      .filter((each) => each.includes('I’ll still try to enable it')),
  ).toHaveLength(1);
  await expect.poll(() => redis.zrange('bellows:{main:drains}:due', '0', '-1')).toEqual(['promised']);
  expect(Number(await redis.zscore('bellows:{main:drains}:due', 'promised'))).toBeGreaterThan(later - 60_000);
  bellows.forge.world.finishRun({ run: run.id, conclusion: 'success' });
  if (ada) ada.admin = true;
  await store.drains.drop('promised');
  await close(redis);
});

it.each([
  ['runner drain builder-1 --until yesterday', 'Write a time such as 18:00'],
  ['runner drain builder-1 --until 5s', 'between a minute and 31 days'],
  ['runner drain nowhere', 'I can’t find the runner nowhere'],
])('refuses “%s”', async (line, part) => {
  expect((await type('ada', line)).text).toContain(part);
  expect(bellows.forge.requests.of(edits)).toEqual([]);
});
