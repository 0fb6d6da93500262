import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBot } from '../../src/bot.js';
import { examine } from '../../src/cli/doctor.js';
import { makeKey, readEnvironment } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf } from '../support/processes.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second, third] = [key('k1'), key('k2'), key('k3')];
const log = createLog({ level: 'silent' });
let bellows: Bellows;

beforeAll(async () => {
  bellows = await startBellows({ parts: [] });
});
afterAll(() => bellows.close());

/** Bellows with these keys during the work; then stopped, as for a restart. */
async function during(keys: string, work: () => Promise<void>, to = log): Promise<void> {
  const config = { ...bellows.config, keys };
  const [bot, worker] = await Promise.all([startBot(config, to), startWorker(config, to)]);
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
  it('can be rotated: a new key in front, then the old one removed, and nobody links again', async () => {
    await during(first, () => bellows.signIn('ada'));
    await during(`${second},${first}`, () => answerTo('issue show acme/engine#4', 'Alarm 1202'));
    await during(second, () => answerTo('issue show acme/engine#4', 'Alarm 1202'));
  });

  it('can be lost: people are asked to link again, and then everything works as before', async () => {
    await during(third, async () => {
      const ada = bellows.slack.as('ada');
      const shown = () => ada.sees('engine').filter((each) => JSON.stringify(each).includes('Alarm 1202')).length;
      const before = shown();
      await answerTo('issue show acme/engine#4', 'Link again');
      await bellows.signIn('ada');
      // The pending command continues.
      await bellows.slack.until(() => shown() > before);
    });
    expect(bellows.slack.failures.all).toEqual([]);
  });

  it('can be lost and replaced under the same id: that is reported, and people link again', async () => {
    const said: string[] = [];
    const other = key('k3');
    const findings = await examine(environmentOf({ ...bellows.config, keys: other }));
    expect(findings.find(({ says }) => says.startsWith('keys:'))).toMatchObject({
      level: 'warning',
      says: expect.stringContaining('cannot decrypt 1 linked accounts'),
    });
    const hearing = new Writable({ write: (line, _, done) => done(void said.push(String(line))) });
    await during(
      other,
      async () => {
        expect(said.join('')).toMatch(/"credentials":1,.*cannot open some of what is stored/);
        await answerTo('issue show acme/engine#4', 'Link again');
        await bellows.signIn('ada');
        await answerTo('issue show acme/engine#4', 'Alarm 1202');
      },
      createLog({ level: 'warn', destination: hearing }),
    );
  });

  it('is made with an id of its own by the documented command', async () => {
    const made = await Promise.all([1, 2].map(() => promisify(execFile)('sh', ['-c', makeKey])));
    const [one, two] = made.map(({ stdout }) => stdout.trim());
    expect(one?.split(':')[0]).not.toBe(two?.split(':')[0]);
    for (const text of [one, two]) expect(readEnvironment({ BELLOWS_KEYS: text }).BELLOWS_KEYS).toBe(text);
    for (const page of ['README.md', '.env.example', 'docs/deployment.md'])
      expect(readFileSync(page, 'utf8')).toContain(makeKey);
  });
});
