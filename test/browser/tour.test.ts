import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

describe('the tour', () => {
  const product = useProduct();
  let page: Page;
  let you: ReturnType<typeof visitor>;
  let seen: { readonly strays: readonly string[]; readonly complaints: readonly string[] };

  beforeAll(async () => {
    seen = await product.open().then((opened) => {
      page = opened.page;
      you = visitor(page);
      return opened;
    });
  });

  const offer = (step: string, label: RegExp | string) => you.step(step).getByRole('button', { name: label }).click();
  const done = (step: string) => you.step(`${step} (done)`).waitFor();

  it('links an account by signing in with the forge', async () => {
    await offer('Link your account', /signin/);
    await you.composer.press('Enter');
    const opening = page.context().waitForEvent('page');
    await you.form
      .getByRole('link', { name: /Sign in with/ })
      .or(you.form.getByRole('button', { name: /Sign in with/ }))
      .click();
    const tab = await opening;
    await tab.getByRole('button', { name: 'Sign in as ada', exact: true }).click();
    await tab.getByRole('button', { name: 'Authorize application' }).click();
    const number = await tab.getByRole('status').textContent();
    await tab.close();
    await page.keyboard.press('Escape');
    await you.go('Bellows messages');
    await you.message('Link that account?').getByRole('button', { name: 'Link as ada' }).click();
    await you.form.getByRole('textbox', { name: 'Number shown in your browser' }).fill(number ?? '');
    await you.form.getByRole('button', { name: 'Link account' }).click();
    await done('Link your account');
  });

  it('closes an issue from a command that it types for you', async () => {
    await offer('Close an issue', /issue close/);
    await you.composer.press('Enter');
    await you.message('Closed #6').getByRole('button', { name: 'Undo' }).waitFor();
    await done('Close an issue');
    expect(product.sandbox.forge.world.issue('acme/engine', 6)?.state).toBe('closed');
  });

  it('asks for a review by Slack name', async () => {
    await offer('Request a review', /pr review/);
    await you.composer.press('Enter');
    await you.message('Requested a review from margaret').waitFor();
    await done('Request a review');
  });

  it('force-cancels only after the second person approved', async () => {
    await offer('Force-cancel', /force-cancel/);
    await you.composer.press('Enter');
    await you.message('Waiting for approval by one other maintainer').waitFor();
    const stuck = [...product.sandbox.forge.world.state.runs.values()].find((run) => run.stuck);
    expect(stuck?.status).toBe('running');
    await you.step('Force-cancel').getByRole('button', { name: 'Switch to Grace in #ops' }).click();
    await you.message('Waiting for approval').getByRole('button', { name: 'Approve' }).click();
    await you.message('✅ Approved by').waitFor();
    expect(await you.message('✅ Approved by').getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(stuck?.status).toBe('cancelled');
    await done('Force-cancel, with approval');
  });

  it('shows in the channel what happens on the forge', async () => {
    await offer('Watch the channel', /subscribe/);
    await you.composer.press('Enter');
    await you.message('Subscribed this channel').waitFor();
    await you.watching(product.sandbox);
    // a review requested in the last seconds may be posted too, and then the step is done
    await page.getByRole('tab', { name: 'Forge' }).click();
    await you.happen('Open an issue');
    await you.message('grace opened issue').waitFor();
    await page.getByRole('tab', { name: 'Tour' }).click();
    await done('Watch the channel');
  });

  it('merges one after the other, and keeps out what fails on top', async () => {
    const offers = await you.step('Merge in turn').getByRole('button', { name: /queue/ }).all();
    expect(offers).toHaveLength(2);
    for (const [at, each] of offers.entries()) {
      await each.click();
      await you.composer.press('Enter');
      await you.message(['Enlarge the logo', 'Shrink the header'][at] ?? '').waitFor();
    }
    await you.go('Bellows messages');
    await you.message('Merged acme/website').waitFor({ timeout: 30_000 });
    await you.message('taken out of the queue').waitFor({ timeout: 30_000 });
    await page.getByRole('tab', { name: 'Tour' }).click();
    await done('Merge in turn');
  });

  it('deploys exactly what was shown, once the second person approved', async () => {
    const dispatched = () =>
      [...product.sandbox.forge.world.state.runs.values()].filter(({ event }) => event === 'workflow_dispatch');
    const before = dispatched().length;
    await offer('Deploy, with a second person', /deploy production/);
    await you.composer.press('Enter');
    await you.message('Waiting for approval by one other maintainer').last().waitFor();
    expect(dispatched()).toHaveLength(before);
    await you.step('Deploy, with a second person').getByRole('button', { name: 'Switch to Grace in #ops' }).click();
    const card = you.message('to production').filter({ hasText: 'New version' });
    await card.getByText('New version').waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await you.message('Deploying').first().waitFor();
    expect(dispatched()).toHaveLength(before + 1);
    await you.message('Deployed').first().waitFor({ timeout: 30_000 });
    await page.getByRole('tab', { name: 'Tour' }).click();
    await done('Deploy, with a second person');
    await page.getByText('That was the tour.').waitFor();
  });

  it('requested nothing from outside, and logged no errors', () => {
    expect(seen.strays).toEqual([]);
    expect(seen.complaints).toEqual([]);
  });
});
