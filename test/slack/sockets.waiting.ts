import { WebSocket } from 'undici';
import { describe, expect, it, type TestContext } from 'vitest';
import { type Bot, startBot } from '../../src/bot.js';
import { createLog } from '../../src/log.js';
import { type BellowsOptions, startBellows } from '../support/bellows.js';

/** Everything in it stops with the test. */
async function start({ onTestFinished }: TestContext, parts: BellowsOptions['parts'] = []) {
  const bellows = await startBellows({ parts });
  const { slack } = bellows;
  const bots: Bot[] = [];
  onTestFinished(async () => {
    for (const bot of bots) await bot.stop();
    await bellows.close();
  });
  return {
    slack,
    connected: (count: number, timeoutMs?: number) =>
      slack.until(({ socket }) => socket.connections === count, timeoutMs),
    async startOne(): Promise<Bot> {
      const bot = await startBot(bellows.config, createLog({ level: 'silent' }));
      bots.push(bot);
      return bot;
    },
  };
}

describe.concurrent('a bot', () => {
  it('takes a command while Slack replaces either of its connections', async (context) => {
    const { slack, connected } = await start(context, ['bot']);
    const help = () => slack.as('ada').command('engine', '/forge', 'help');
    const replaceOne = () => {
      slack.socket.disconnect('refresh_requested', 1);
      return slack.socket.connections;
    };
    await connected(2);
    expect(replaceOne()).toBe(1);
    expect(await help()).toMatchObject({ ok: true });
    await connected(2);
    // the oldest one this time
    expect(replaceOne()).toBe(1);
    expect(await help()).toMatchObject({ ok: true });
  });

  it('opens a connection again after Slack refused to', async (context) => {
    const { slack, connected } = await start(context, ['bot']);
    await connected(2);
    slack.faults.next('apps.connections.open', { kind: 'error', error: 'invalid_auth' });
    slack.socket.disconnect();
    await connected(2, 15_000);
  });

  it('keeps no connection that opens while it stops', async (context) => {
    const { slack, connected, startOne } = await start(context);
    const asked = () => slack.calls.of('apps.connections.open').length;
    const bot = await startOne();
    await connected(2);
    const before = asked();
    slack.faults.next('apps.connections.open', { kind: 'slow', ms: 500 });
    slack.socket.disconnect();
    await slack.until(() => asked() > before);
    await bot.stop();
    await connected(1);
    await connected(0);
  });
});

it('starts with the one connection that other bots leave to it', async (context) => {
  const { slack, connected, startOne } = await start(context);
  for (let bot = 0; bot < 4; bot++) await startOne();
  await connected(8);
  const headers = { authorization: `Bearer ${slack.appToken}` };
  const opened = await fetch(`${slack.apiUrl}apps.connections.open`, { method: 'POST', headers });
  const { url } = (await opened.json()) as { url: string };
  const other = new WebSocket(url);
  await connected(9);
  const bot = await startOne();
  expect(slack.socket.connections).toBe(10);
  await bot.ready();
  other.close();
});
