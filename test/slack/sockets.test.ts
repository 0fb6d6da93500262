import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
const help = () => bellows.slack.as('ada').command('engine', '/forge', 'help');

beforeAll(async () => {
  bellows = await startBellows({ parts: ['bot'] });
});
afterAll(() => bellows.close());

it('takes a command while Slack replaces either of its connections', async () => {
  const { slack } = bellows;
  const replaceOne = () => {
    slack.socket.disconnect('refresh_requested', 1);
    return slack.socket.connections;
  };
  expect(slack.socket.connections).toBe(2);
  expect(replaceOne()).toBe(1);
  expect(await help()).toMatchObject({ ok: true });
  await slack.until(() => slack.socket.connections === 2);
  // the oldest one this time
  expect(replaceOne()).toBe(1);
  expect(await help()).toMatchObject({ ok: true });
});
