import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, turn } = talkTo(() => bellows);
const lists = 'GET /repos/{owner}/{repo}/actions/runs';
const repo = 'acme/website';
const queue = (title: string, labels = ['gpu']) =>
  bellows.forge.world.queueRun({
    as: 'grace',
    repo,
    title,
    jobs: [{ name: 'build', labels, needs: [], steps: ['make'] }],
  });

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('lists runs with filters, newest first', async () => {
  const answer = await type('ada', 'run list acme/engine --status failure --branch main');
  expect(bellows.forge.requests.of(lists).at(-1)?.query).toMatchObject({ status: 'failure', branch: 'main' });
  expect(words(answer)).toContain('❌ Failed');
  expect(words(answer)).not.toContain('✅ Passed');
});

it('pages a long list without losing a row', async () => {
  for (let at = 1; at <= 11; at += 1) queue(`Turn ${at}`);
  const first = await type('ada', 'run list');
  expect(words(first)).toContain('1–10 of 12');
  const second = await turn('ada', first, 'Show more');
  const rows = [...`${words(first)}${words(second)}`.matchAll(/Turn (\d+)/g)].map((found) => found[1]);
  expect(new Set(rows).size).toBe(11);
});

it('knows an unknown person before the forge stumbles over them', async () => {
  expect((await type('ada', 'run list --actor nobody')).text).toContain('knows nobody called nobody');
  expect(bellows.forge.requests.of(lists)).toEqual([]);
});

it('shows a run with its jobs', async () => {
  const run = queue('To be shown');
  const shown = words(await type('ada', `run show ${repo}#${run.id}`));
  expect(shown).toContain('To be shown');
  expect(shown).toContain('needs `gpu`');
});

it('takes a pasted address', async () => {
  const run = queue('Pasted');
  expect((await type('ada', `run show ${bellows.forge.url}/${repo}/actions/runs/${run.id}`)).text).toContain('Pasted');
});

it('cancels a queued run at once', async () => {
  const run = queue('To be cancelled');
  const answer = await type('ada', `run cancel ${run.id}`);
  expect(answer.text).toContain('Cancelled #');
  expect(bellows.forge.requests.of('POST /repos/{owner}/{repo}/actions/runs/{run}/cancel').at(-1)).toMatchObject({
    who: 'ada',
    path: `/repos/${repo}/actions/runs/${run.id}/cancel`,
  });
});

it('says when the runner still has to confirm, and what to do if it does not', async () => {
  const answer = await type('ada', 'run cancel acme/engine#7');
  expect(answer.text).toContain('Asked to cancel');
  expect(answer.text).toContain('run force-cancel acme/engine#7');
});

it('says when there is nothing to cancel', async () => {
  expect((await type('ada', 'run cancel acme/engine#1')).text).toContain('is over already (✅ Passed)');
});

it('cancels from the card, after asking once more', async () => {
  const run = queue('By button');
  const card = await type('ada', `run show ${run.id}`);
  expect(words(card)).toContain('Cancel this run?');
  expect((await click('ada', card, 'Cancel')).text).toContain('Cancelled');
});
