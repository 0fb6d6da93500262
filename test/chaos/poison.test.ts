import { afterAll, beforeAll, expect, it } from 'vitest';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { startRedis } from '../support/redis.js';

let bellows: Bellows;
let worker: Part;
const { type } = talkTo(() => bellows);
const start = () => startPart('worker', environmentOf(bellows.config));

beforeAll(async () => {
  expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
  bellows = await startBellows({ parts: ['bot'] });
  worker = await start();
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(async () => {
  await worker.kill('SIGTERM');
  await bellows.close();
});

it('a command that kills its worker is set aside after three times, its person is told, and others go on', async () => {
  const { slack, forge } = bellows;
  const ada = slack.as('ada');
  forge.faults.add({ on: /GET .*issues\/2$/, times: 100, trouble: { delay: 60_000 } });
  await ada.command('engine', '/forge', 'issue show acme/engine#2');
  for (let time = 0; time < 3; time += 1) {
    await forge.requests.next(/GET .*issues\/2$/);
    await worker.kill();
    worker = await start();
    expect((await type('grace', 'whoami')).text).toContain('grace');
  }
  await slack.until(() => ada.sees('engine').some(({ text }) => text.includes('failed several times')), 90_000);
  expect((await type('ada', 'whoami')).text).toContain('ada');
}, 300_000);
