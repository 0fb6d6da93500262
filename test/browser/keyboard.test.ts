import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

describe('the page', () => {
  const product = useProduct();

  it('completes the slash command by keyboard and, like Slack, nothing after it', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await page.keyboard.press('/');
    await page.keyboard.type('/fo');
    await page.getByRole('option', { name: /^\/forge/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('issue cl');
    expect(await you.composer.inputValue()).toBe('/forge issue cl');
    expect(await page.getByRole('option').count()).toBe(0);
  });

  it('links an account without a mouse', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Linus');
    await page.keyboard.press('Escape');
    await you.composer.focus();
    await page.keyboard.type('/forge signin other');
    await page.keyboard.press('Enter');
    await you.form.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await you.message('linked as').waitFor();
  });

  it('opens a form without fields at its first button, not at the one that closes it', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.say('/forge signin');
    await you.form.waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await expect.poll(focused).toMatch(/^Sign in with/);
    await page.keyboard.press('Escape');
    await you.form.waitFor({ state: 'detached' });
  });

  it('names a channel in its message box as everywhere else', async () => {
    const { page } = await product.open();
    await page.getByPlaceholder('Message #general', { exact: true }).waitFor();
  });

  it('walks the channels with Alt and an arrow', async () => {
    const { page } = await product.open();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('heading', { name: '# engine' }).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('heading', { name: '# general' }).waitFor();
  });

  it('follows the system into the dark, or the switch', async () => {
    const { page } = await product.open({ colorScheme: 'dark' });
    const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await paper()).toBe('rgb(27, 26, 25)');
    await page.getByRole('radio', { name: 'light' }).check({ force: true });
    expect(await paper()).toBe('rgb(255, 255, 255)');
  });

  it('fits a phone: channels and panel slide in', async () => {
    const { page } = await product.open({ viewport: { width: 390, height: 780 } });
    await page.getByRole('button', { name: 'Channels' }).click();
    await page.getByRole('navigation').getByRole('button', { name: 'engine' }).click();
    await page.getByRole('heading', { name: '# engine' }).waitFor();
    await page.getByRole('button', { name: 'Tour' }).click();
    await page.getByRole('heading', { name: 'Link your account' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('gives every control a name', async () => {
    const { page } = await product.open();
    const nameless = await page.evaluate<string[]>(
      `[...document.querySelectorAll('button, input, select, textarea')]
        .filter((each) => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length))
        .map((each) => each.outerHTML)`,
    );
    expect(nameless).toEqual([]);
  });
});
