import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

const repo = 'acme/engine';

/** The pictures in docs/: drawn by the product itself, written only with UPDATE_DOCS=1. */
async function picture(what: Page | Locator, name: string): Promise<void> {
  const path = process.env['UPDATE_DOCS'] === '1' ? { path: `docs/${name}.png` } : {};
  expect((await what.screenshot({ animations: 'disabled', ...path })).length).toBeGreaterThan(1_000);
}

describe('the pictures of the docs', () => {
  const product = useProduct();
  const open = () => product.open({ viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1 });

  it('show a channel with a pull request and its thread', async () => {
    const { page } = await open();
    const you = visitor(page);
    const { world } = product.sandbox.forge;
    await you.be('Grace');
    await you.go('engine');
    await you.say(`/forge subscribe ${repo} pulls reviews comments`);
    await you.message('Subscribed this channel').waitFor();
    await you.watching(product.sandbox);
    const commits = [{ message: 'Close the valve before the pump stops', files: ['valve.go', 'pump.go'] }];
    world.push({ as: 'linus', repo, branch: 'valve-first', commits });
    const body =
      'Without this the pipe stays under pressure after a stop. Measured on the test rig: no leak in 40 runs.';
    const title = 'Close the valve before the pump stops';
    const { index } = world.openPull({ as: 'linus', repo, title, body, head: 'valve-first' });
    world.requestReview({ as: 'linus', repo, index, from: ['grace'] });
    const card = you.message('linus opened pull request');
    await card.waitFor();
    world.review({ as: 'ada', repo, index, verdict: 'approve', body: 'Runs smoothly here too.' });
    await card.getByRole('button', { name: /repl/ }).click();
    await you.thread.getByText('Runs smoothly here too.').waitFor();
    await picture(page, 'channel');
    await card.getByText('approved').first().waitFor();
    await page.mouse.move(0, 0);
    await picture(card, 'pull-request');
  });

  it('show a review with the diff', async () => {
    const { page } = await open();
    const you = visitor(page);
    const { world } = product.sandbox.forge;
    await you.be('Grace');
    await you.go('engine');
    const before = 'package valve\n\nfunc Stop() {\n\tstopPump()\n\tcloseValve()\n}\n';
    world.push({
      as: 'linus',
      repo,
      branch: 'main',
      commits: [{ message: 'Add the valve', texts: { 'valve.go': before } }],
    });
    const text =
      'package valve\n\n// Stop leaves no pressure in the pipe.\nfunc Stop() {\n\tcloseValve()\n\tstopPump()\n}\n';
    world.push({
      as: 'linus',
      repo,
      branch: 'stop',
      commits: [{ message: 'Close the valve first', texts: { 'valve.go': text } }],
    });
    const { index } = world.openPull({ as: 'linus', repo, title: 'Close the valve first', head: 'stop' });
    await you.say(`/forge pr diff ${repo}#${index}`);
    const form = page.getByRole('dialog');
    await form.getByText('Stop leaves no pressure').waitFor();
    await picture(form, 'review');
    await page.keyboard.press('Escape');
  });

  it('show a direct message', async () => {
    const { page } = await open();
    const you = visitor(page);
    const { world } = product.sandbox.forge;
    await you.be('Grace');
    await you.go('Bellows messages');
    await you.watching(product.sandbox);
    const { index } = world.openIssue({ as: 'linus', repo, title: 'The whistle is mute', assignees: ['grace'] });
    await you.message('assigned you').waitFor();
    world.comment({ as: 'linus', repo, index, body: 'It was fine until Tuesday. @grace, do you have the spare part?' });
    await you.message('assigned you').getByRole('button', { name: /repl/ }).waitFor();
    await picture(page.getByRole('main'), 'direct-message');
  });

  it('show an approval before and after', async () => {
    const { page } = await open();
    const you = visitor(page);
    const stuck = [...product.sandbox.forge.world.state.runs.values()].find((run) => run.stuck);
    await you.be('Grace');
    await you.go('ops');
    await you.say(`/forge run force-cancel ${repo}#${stuck?.id} --reason "No runner has confirmed the cancel"`);
    await you.message('Waiting for approval').waitFor();
    await you.be('Margaret');
    const waiting = you.message('Waiting for approval');
    await waiting.waitFor();
    await picture(waiting, 'approval-before');
    await waiting.getByRole('button', { name: 'Approve' }).click();
    const decided = you.message('✅ Approved by');
    await decided.waitFor();
    await picture(decided, 'approval-after');
  });

  it('show a merge queue', async () => {
    const { page } = await open();
    const you = visitor(page);
    const step = product.sandbox.tour.steps().find(({ id }) => id === 'queue');
    await you.be('Grace');
    await you.go('engine');
    for (const { type = '' } of step?.offers ?? []) {
      await you.say(type);
      await you.message(new RegExp(`Added ${type.replace('/forge queue ', '')}`)).waitFor();
    }
    const card = you.message('queued').filter({ hasText: 'waiting for' });
    await card.waitFor({ timeout: 30_000 });
    await picture(card, 'queue');
    await you.go('Bellows messages');
    const told = you.message('taken out of the queue');
    await told.waitFor({ timeout: 30_000 });
    await picture(told, 'queue-failed');
  });

  it('show the help', async () => {
    const { page } = await open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('general');
    await you.say('/forge help');
    const help = you.message('Only visible to you');
    await help.waitFor();
    await picture(help, 'help');
  });

  it('show a failed run with its log', async () => {
    const { page } = await open();
    const you = visitor(page);
    const { world } = product.sandbox.forge;
    await you.be('Grace');
    await you.go('engine');
    await you.say(`/forge subscribe ${repo} runs`);
    await you.message(/subscription.*runs/).waitFor();
    const main = { as: 'linus', repo, branch: 'main' };
    const jobs = [{ name: 'test', labels: ['docker'], needs: [], steps: ['npm ci', 'npm test'] }];
    const run = (title: string) => {
      world.push({ ...main, commits: [{ message: title, files: ['valve.go'] }] });
      return world.startRun({ ...main, title, jobs });
    };
    world.finishRun({ run: run('Oil the hinge').id, conclusion: 'success' });
    await you.watching(product.sandbox);
    const [job] = run('Open the valve faster').jobs;
    const text = [
      '##[group]Run npm test',
      ' FAIL  src/valve.test.ts > closes before the pump stops',
      'AssertionError: expected 3.2 bar to be below 1.5 bar',
      '    at src/valve.test.ts:42:11',
      '##[error]Process completed with exit code 1.',
      '',
    ].join('\n');
    world.writeLog({ job: job?.id ?? 0, text });
    world.finishJob({ job: job?.id ?? 0, conclusion: 'failure' });
    const card = you.message('AssertionError');
    await card.waitFor();
    await picture(card, 'failed-run');
  });
});
