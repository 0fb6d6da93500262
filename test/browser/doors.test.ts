import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

describe('other ways to run a command', () => {
  const product = useProduct();

  it('a mention is answered in its thread, for everyone who may see it', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('engine');
    await you.say('@bellows issue close acme/engine#7');
    await you.message('issue close acme/engine#7').getByRole('button', { name: '1 reply' }).click();
    await you.thread.getByText('Closed').first().waitFor();
  });

  it('a direct message is answered below it', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('Bellows messages');
    await you.say('whoami');
    await you.message('You are grace').waitFor();
    expect(
      await you
        .message('whoami')
        .getByRole('button', { name: /\d repl/ })
        .count(),
    ).toBe(0);
  });

  it('in the thread of a card its item is implied', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('engine');
    await you.say('/forge subscribe acme/engine issues');
    await you.message('Subscribed this channel').waitFor();
    await you.watching(product.sandbox);
    product.sandbox.forge.world.openIssue({ as: 'linus', repo: 'acme/engine', title: 'The dial sticks' });
    const card = you.message('The dial sticks');
    await card.hover();
    await card.getByRole('button', { name: 'Reply in thread' }).click();
    const reply = you.thread.getByRole('textbox', { name: 'Reply…' });
    await reply.fill('@bellows issue close');
    await reply.press('Enter');
    await you.thread.getByText('🟣 Closed').first().waitFor();
  });
});
