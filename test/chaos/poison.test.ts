import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { startRedis } from '../support/redis.js';

let bellows: Bellows;
let worker: Part;
const poison = /GET .*issues\/2$/;
const patience = 90_000;
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

/** Runs whoami and waits for the answer as long as a start may take. */
async function isServed(user: string): Promise<void> {
  const actor = bellows.slack.as(user);
  const answers = () => actor.sees('general').filter(({ text }) => !text.startsWith('Working on')).length;
  const before = answers();
  await actor.command('general', '/forge', 'whoami');
  await bellows.slack.until(() => answers() > before, patience);
}

it('a command that kills its worker three times is set aside, its person notified, and others continue', async () => {
  const { slack, forge } = bellows;
  const ada = slack.as('ada');
  let arrived = forge.requests.next(poison);
  forge.faults.add({ on: poison, times: 100, trouble: { delay: 60_000 } });
  await ada.post(ada.dm, 'issue show acme/engine#2');
  const before = ada.sees(ada.dm).length;
  const replies = () => ada.sees(ada.dm).slice(before);
  for (let time = 0; time < 3; time += 1) {
    await arrived;
    await worker.kill();
    arrived = forge.requests.next(poison);
    worker = await start();
    await isServed('grace');
  }
  await slack.until(() => replies().some(({ text }) => text.includes('failed several times')), patience);
  // Also of a process that was killed, no line is left that says it is still working.
  expect(replies()).toHaveLength(1);
  await isServed('ada');
}, 300_000);
