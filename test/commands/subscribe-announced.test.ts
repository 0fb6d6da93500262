import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const repo = 'acme/engine';

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const announced = (part: string) =>
  bellows.slack.state.messages('engine').filter(({ text, byBot }) => byBot && text.includes(part)).length;
const announcedTimes = (part: string, times: number) =>
  bellows.slack.until(() => announced(part) === times || undefined);

it('tells the channel of a change that was made before and taken back', async () => {
  await type('ada', `subscribe ${repo} issues`);
  for (const times of [1, 2]) {
    await type('ada', `subscribe ${repo} runs`);
    await announcedTimes('subscription: issues, runs', times);
    await type('ada', `unsubscribe ${repo} runs`);
    await announcedTimes('subscription: issues', 2 * times);
  }
});

it('tells the channel of an item that is followed again', async () => {
  for (const times of [1, 2]) {
    await type('ada', `follow ${repo}#2`);
    await announcedTimes('follows', times);
    await type('ada', `unfollow ${repo}#2`);
    await announcedTimes('stopped following', times);
  }
});

it('answers once: the channel’s message is the answer', async () => {
  const ada = bellows.slack.as('ada');
  await type('ada', `unsubscribe ${repo}`);
  const seen = new Set(ada.sees('engine').map(({ ts }) => ts));
  const lines = [
    `subscribe ${repo} issues`,
    `subscribe edit ${repo} --bots on`,
    `follow ${repo}#2`,
    `unfollow ${repo}#2`,
    `unsubscribe ${repo}`,
  ];
  for (const line of lines) await type('ada', line);
  // one more command: whatever came late is there
  await type('ada', 'whoami');
  const mine = ada.sees('engine').filter(({ ts, onlyFor }) => onlyFor !== undefined && !seen.has(ts));
  expect(mine.map(({ text }) => text)).toEqual([expect.stringContaining('You are ada')]);
  expect(ada.sees('engine').filter(({ ts, onlyFor }) => onlyFor === undefined && !seen.has(ts))).toHaveLength(5);
});

it('says privately what the channel does not need, and that the channel was not told', async () => {
  await type('ada', `subscribe ${repo} issues`);
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', `subscribe ${repo} acme/nothing runs`);
  const partly = await bellows.slack.until(() =>
    ada.sees('engine').find(({ text, onlyFor }) => onlyFor && text.includes('acme/nothing')),
  );
  expect(partly.text).not.toContain('ubscribed');
  await bellows.slack.happens.leave('engine', 'bellows');
  const answer = await type('ada', `unsubscribe ${repo}`);
  expect(answer.onlyFor).toBeDefined();
  expect(JSON.stringify(answer.blocks)).toContain('Only you see this');
});
