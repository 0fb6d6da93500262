import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createForge } from '../../src/forge/index.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { createLatch } from '../support/latch.js';
import { allKeys, testKeys } from '../support/redis.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
let store: Store;
const { type } = talkTo(() => bellows);
const repo = 'acme/engine';
const taken = 'another worker';

beforeAll(async () => {
  bellows = await startBellows({ tempo: { lookMs: 10 } });
  await bellows.link('ada');
  const redis = connect(bellows.redisUrl);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
});
afterEach(() => bellows.forge.faults.clear());
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

const writes = () => [...bellows.forge.requests].filter(({ method }) => method !== 'GET');
const fellBehind = () => bellows.logged.filter((line) => line.includes('another worker took over this job')).length;

/** The lock of the only running job; its name contains the job's. */
async function lockNow() {
  const locks = (await allKeys(store.redis)).filter((key) => key.endsWith(':lock') && key.includes(':act'));
  const holders = await Promise.all(locks.map((key) => store.redis.get(key)));
  const key = locks.find((_, at) => holders[at] !== taken);
  if (key === undefined) throw new Error('no job runs');
  return { key, job: key.split(':').at(-2) ?? '' };
}

/** Acts during the command's first read. */
async function amidFirstRead(line: string, act: () => Promise<void>, read = /GET .*issues\/\d+$/) {
  const { forge, slack } = bellows;
  const { opened, open } = createLatch();
  forge.faults.add({ on: read, trouble: { hold: () => opened } });
  const reading = forge.requests.next(read);
  await slack.as('ada').command('engine', '/forge', line);
  await reading;
  await act();
  open();
}

it.each([
  ['that counts', `issue comment ${repo}#2 Said by the one who lost it`],
  ['that may be repeated', `issue close ${repo}#2`],
])('a job whose lock went to another worker ends before its first write: one %s', async (_kind, line) => {
  const before = { writes: writes().length, behind: fellBehind() };
  const ada = bellows.slack.as('ada');
  const seen = ada.sees('engine').length;
  await amidFirstRead(line, async () => {
    const { key } = await lockNow();
    await store.redis.set(key, taken, 'PX', 60_000);
  });
  const ended = () => writes().length > before.writes || fellBehind() > before.behind;
  await expect.poll(ended).toBe(true);
  expect(writes().slice(before.writes)).toEqual([]);
  expect(
    ada
      .sees('engine')
      .slice(seen)
      .filter(({ text }) => !text.startsWith('Working on')),
  ).toEqual([]);
});

it('a run that did not get the mark does not send, and checks what happened', async () => {
  const before = writes().length;
  const ada = bellows.slack.as('ada');
  await amidFirstRead(`issue comment ${repo}#7 Said by somebody else’s start`, async () => {
    const { job } = await lockNow();
    expect(await store.jobs.mark(job, 'sent')).toBe(true);
  });
  const messages = () => [...ada.sees('engine'), ...ada.sees(ada.dm)];
  await bellows.slack.until(() => messages().find(({ text }) => /did not confirm|Commented/.test(text)));
  expect(writes().slice(before)).toEqual([]);
});

it('a second click does not undo again', async () => {
  const shown = await type('ada', `issue close ${repo}#7`);
  const ada = bellows.slack.as('ada');
  const undone = () => writes().filter(({ body }) => JSON.stringify(body ?? '').includes('"open"')).length;
  const before = undone();
  await Promise.all([ada.click(shown, 'Undo'), ada.click(shown, 'Undo')]);
  await bellows.slack.until(() => ada.sees('engine').find(({ text }) => text.includes('no longer be undone')));
  expect(undone() - before).toBe(1);
});

it('a workflow dispatched by an earlier run of the job is found, and not dispatched again', async () => {
  const { forge, slack } = bellows;
  const ada = slack.as('ada');
  const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
  const startIt = async () => {
    const newest = Math.max(...forge.world.state.runs.keys());
    expect(await store.jobs.mark((await lockNow()).job, 'sent', String(newest))).toBe(true);
    const other = createForge({ url: forge.url });
    const at = { owner: 'acme', repo: 'engine', workflow_id: 'ci.yml' };
    await other
      .as({ kind: 'token', token: forge.account('ada').token() })
      .workflows.dispatch({ ...at, body: { ref: 'main' } });
    await other.close();
  };
  await amidFirstRead(`workflow run ${repo} ci.yml`, startIt, /GET \/repos\/acme\/engine$/);
  const answer = await slack.until(() => ada.sees('engine').find(({ text }) => text.startsWith('Started')));
  expect(answer.text).toContain(`, run ${[...forge.world.state.runs.values()].at(-1)?.number}`);
  expect(forge.requests.of(dispatches)).toHaveLength(1);
});
