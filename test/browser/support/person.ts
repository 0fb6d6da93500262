import type { Sandbox } from '@bellows/sandbox';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A visitor's actions, in the page's terms. */
export function visitor(page: Page) {
  const composer = page.getByRole('main').getByRole('textbox', { name: /^Message/ });
  const messages = page.getByRole('log', { name: 'Messages' });
  const form = page.getByRole('dialog');
  return {
    composer,
    form,
    thread: page.getByRole('complementary', { name: 'Thread' }),
    be: (name: string) => page.getByRole('radio', { name: new RegExp(name) }).check({ force: true }),
    go: (channel: string) => page.getByRole('navigation').getByRole('button', { name: channel }).click(),
    async say(text: string) {
      await composer.fill(text);
      await composer.press('Enter');
    },
    /** The latest message of the channel that contains these words. */
    message: (words: string | RegExp): Locator => messages.getByRole('article').filter({ hasText: words }).last(),
    async link() {
      await this.say('/forge signin other');
      await form.getByRole('button', { name: /sandbox token/ }).click();
      await form.getByRole('button', { name: 'Link account' }).click();
      await this.message('linked as').waitFor();
    },
    step: (title: string) =>
      page.getByRole('region', { name: 'Tour' }).getByRole('listitem').filter({ hasText: title }),
    /** The first poll after subscribing only learns; from the second on everything is posted. */
    async watching({ forge }: Sandbox, before = forge.requests.all.length) {
      const polls = () =>
        forge.requests.all.slice(before).filter(({ path }) => path.endsWith('/activities/feeds')).length;
      await expect.poll(polls, { timeout: 15_000 }).toBeGreaterThan(1);
    },
    async happen(verb: string) {
      await page.getByRole('tab', { name: 'Forge' }).click();
      await page.getByRole('region', { name: 'Forge activity' }).getByRole('button', { name: verb }).click();
    },
  };
}
