import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBot } from '../../src/bot.js';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second, third] = [key('k1'), key('k2'), key('k3')];
const log = createLog({ level: 'silent' });
let bellows: Bellows;

beforeAll(async () => {
  bellows = await startBellows({ parts: [] });
});
afterAll(() => bellows.close());

/** Bellows with these keys, for as long as the work takes; then it is stopped, as for a restart. */
async function during(keys: string, work: () => Promise<void>): Promise<void> {
  const config = { ...bellows.config, keys };
  const [bot, worker] = await Promise.all([startBot(config, log), startWorker(config, log)]);
  try {
    await work();
  } finally {
    await Promise.all([bot.stop(), worker.stop()]);
  }
}

async function answerTo(text: string, says: string): Promise<void> {
  const ada = bellows.slack.as('ada');
  const before = new Set(ada.sees('engine').map(({ ts }) => ts));
  await ada.command('engine', '/forge', text);
  await bellows.slack.until(() =>
    ada.sees('engine').some((each) => !before.has(each.ts) && JSON.stringify(each).includes(says)),
  );
}

describe('BELLOWS_KEYS', () => {
  it('can be rotated: a new key in front, then the old one away, and nobody links again', async () => {
    await during(first, () => bellows.link('ada'));
    await during(`${second},${first}`, () => answerTo('issue show acme/engine#4', 'Alarm 1202'));
    await during(second, () => answerTo('issue show acme/engine#4', 'Alarm 1202'));
  });

  it('can be lost: people are asked to link again, and then all is as before', async () => {
    await during(third, async () => {
      const ada = bellows.slack.as('ada');
      const shown = () => ada.sees('engine').filter((each) => JSON.stringify(each).includes('Alarm 1202')).length;
      const before = shown();
      await answerTo('issue show acme/engine#4', 'Link again');
      await bellows.link('ada');
      // What was asked goes on by itself.
      await bellows.slack.until(() => shown() > before);
    });
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
