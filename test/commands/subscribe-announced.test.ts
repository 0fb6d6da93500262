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
  bellows.slack.until(() => announced(part) === times || undefined, 60_000);

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
