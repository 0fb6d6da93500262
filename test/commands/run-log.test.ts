import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createForge } from '../../src/forge/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, turn } = talkTo(() => bellows);
const repo = 'acme/website';

/** A failed run with one job per log, if given. */
function red(...logs: readonly (string | undefined)[]) {
  const { world } = bellows.forge;
  const jobs = logs.map((_, at) => ({ name: `job ${at + 1}`, labels: ['gpu'], needs: [], steps: ['make'] }));
  const run = world.queueRun({ as: 'grace', repo, title: 'Red', jobs });
  run.jobs.forEach((job, at) => {
    world.finishJob({ job: job.id, conclusion: 'failure' });
    const text = logs[at];
    if (text !== undefined) world.writeLog({ job: job.id, text });
  });
  return run;
}

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows the failing step of the first failed job, from the run’s card', async () => {
  const run = red(undefined, undefined, undefined);
  const shown = await type('ada', `run show ${repo}#${run.id}`);
  const log = words(await click('ada', shown, 'Show log'));
  expect(log).toContain('job 1');
  expect(log).toContain('*make*');
  expect(log).toContain('Error: make failed');
  expect(log).toContain('· also failed: `job 2`, `job 3`');
  expect(log).not.toMatch(/u001[bB]|Job failed|exitcode/);
});

it('shows one job by name, and says if there is no log', async () => {
  const run = red(undefined, 'the second says this');
  expect(words(await type('ada', `run log ${repo}#${run.id} job 2`))).toContain('the second says this');
  const queued = bellows.forge.world.queueRun({ as: 'grace', repo, title: 'Queued' });
  expect(words(await type('ada', `run log ${repo}#${queued.id}`))).toContain('No log');
});

it('shows more on request, in place', async () => {
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}.`);
  const run = red(lines.join('\n'));
  const first = await type('ada', `run log ${repo}#${run.id}`);
  expect(words(first)).toContain('line 30.');
  expect(words(first)).not.toContain('line 29.');
  expect(words(await turn('ada', first, 'Show more'))).toContain('line 0.');
});

it('shows hostile text as text', async () => {
  const run = red('<!channel> ```\n<https://evil.example|here> *bold* @everyone \u202Eabc');
  const shown = await type('ada', `run log ${repo}#${run.id}`);
  const block = shown.blocks.find(({ type }) => type === 'rich_text');
  expect(JSON.stringify(block)).toContain('<!channel>');
  expect(JSON.stringify(block)).not.toContain('\u202E');
  expect(JSON.stringify(shown.blocks.filter((each) => each !== block))).not.toContain('evil');
});

it.each([
  ['by its range', false],
  ['as a stream where ranges are not served', true],
])('reads the end of 100 MB %s without buffering it', async (_how, ignoresRange) => {
  const run = red(undefined);
  const job = run.jobs[0]?.id ?? 0;
  bellows.forge.world.writeLog({ job, filler: 100 * 1024 * 1024, text: '\nthe end\n' });
  bellows.forge.world.state.site.ignoresRange = ignoresRange;
  const { url } = bellows.forge;
  const forge = createForge({ url });
  const api = forge.as({ kind: 'token', token: bellows.forge.account('ada').token() });
  await api.runs.list({ owner: 'acme', repo: 'website' });
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = used();
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, used() - before);
  }, 2);
  const { text, whole } = await api.runs.jobLog({ owner: 'acme', repo: 'website', job_id: job });
  clearInterval(watching);
  await forge.close();
  bellows.forge.world.state.site.ignoresRange = false;
  expect(whole).toBe(false);
  expect(text.length).toBeLessThanOrEqual(256 * 1024);
  expect(text.endsWith('the end\n')).toBe(true);
  process.stdout.write(`figure log.peak_mb ${(peak / 1e6).toFixed(1)}\n`);
  // buffering it all would take more than the log itself; how much garbage is pending is up to the machine
  expect(peak).toBeLessThan(80 * 1024 * 1024);
});
