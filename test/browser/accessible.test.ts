import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly impact?: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

/** Serious axe findings, each with its first element. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Found>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

describe.each(['light', 'dark'] as const)('axe finds nothing serious in the %s', (colorScheme) => {
  const product = useProduct();

  it('in a channel, a form, the Forge panel and Home', async () => {
    const { page } = await product.open({ colorScheme });
    const you = visitor(page);
    await you.message('the tour').waitFor();
    expect(await serious(page)).toEqual([]);
    await you.link();
    await you.say('/forge help');
    await you.message('Everyday commands').waitFor();
    expect(await serious(page)).toEqual([]);
    await you.say('/forge issue create');
    await you.form.waitFor();
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await you.form.waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Forge' }).click();
    expect(await serious(page)).toEqual([]);
    await page.getByRole('navigation').getByRole('button', { name: 'Home' }).click();
    await page.getByText('Your settings').waitFor();
    expect(await serious(page)).toEqual([]);
  });
});
