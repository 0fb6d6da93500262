import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

describe('the page', () => {
  const product = useProduct();

  it('opens with content and the first step at hand', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.message('the tour').waitFor();
    await you.message('acme/engine/issues/2').waitFor();
    await you
      .step('Link your account')
      .getByRole('button', { name: /signin/ })
      .waitFor();
  });

  it('keeps person and channel across a reload', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('ops');
    await page.getByRole('heading', { name: '# ops' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '# ops' }).waitFor();
    expect(await page.getByRole('radio', { name: /Grace/ }).isChecked()).toBe(true);
  });

  it('keeps what could not be sent: too long, or without a sandbox', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    const long = `/forge issue comment acme/engine#2 ${'word '.repeat(2_600)}`;
    await you.say(long);
    await page.getByRole('status').getByText(/./).first().waitFor();
    await expect.poll(() => you.composer.inputValue()).toBe(long);
    await page.route('**/api/act', (route) => route.abort());
    await you.say('Nobody hears this');
    await page.getByText('The sandbox is not responding').first().waitFor();
    await expect.poll(() => you.composer.inputValue()).toBe('Nobody hears this');
  });

  it('returns the focus after a form', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.say('/forge signin');
    await you.form.waitFor();
    await page.keyboard.press('Escape');
    await you.form.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
  });
});
