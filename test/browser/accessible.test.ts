import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTheatre } from './support/page.js';
import { visitor } from './support/person.js';

let axe = '';
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});

/** What axe finds serious, each with the first element it is about. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

describe.each(['light', 'dark'] as const)('axe finds nothing serious in the %s', (colorScheme) => {
  const theatre = useTheatre();

  it('in a channel, a form, the Forge panel and Home', async () => {
    const { page } = await theatre.open({ colorScheme });
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
