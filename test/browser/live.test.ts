import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

describe('live updates', () => {
  const product = useProduct();

  it('updates an open thread and the card above it, without a reload', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    const { world } = product.sandbox.forge;
    await you.be('Grace');
    await you.go('engine');
    await you.say('/forge subscribe acme/engine issues comments');
    await you.message('Subscribed this channel').waitFor();
    await you.watching(product.sandbox);
    const { index } = world.openIssue({ as: 'linus', repo: 'acme/engine', title: 'The whistle is mute' });
    const card = you.message('linus opened issue');
    await card.waitFor();
    world.comment({ as: 'ada', repo: 'acme/engine', index, body: 'Since when?' });
    await card.getByRole('button', { name: '1 reply' }).click();
    await you.thread.getByText('Since when?').waitFor();
    world.comment({ as: 'linus', repo: 'acme/engine', index, body: 'Since Tuesday.' });
    await you.thread.getByText('Since Tuesday.').waitFor();
    world.close({ as: 'ada', repo: 'acme/engine', index });
    await you.thread.getByText('🟣 Closed').first().waitFor();
    await card.getByRole('button', { name: '3 replies' }).waitFor();
  });

  it('lets two people watch at once: one asks, the other approves, both see it', async () => {
    const [asking, deciding] = await Promise.all([product.open(), product.open()]);
    const grace = visitor(asking.page);
    const margaret = visitor(deciding.page);
    const stuck = [...product.sandbox.forge.world.state.runs.values()].find((run) => run.stuck);
    await grace.be('Grace');
    await margaret.be('Margaret');
    await grace.go('ops');
    await margaret.go('ops');
    await grace.say(`/forge run force-cancel acme/engine#${stuck?.id}`);
    await margaret.message('Waiting for approval').getByRole('button', { name: 'Approve' }).click();
    await grace.message('✅ Approved by').getByText('@Margaret').waitFor();
    await margaret.message('✅ Approved by').waitFor();
  });

  it('shows some messages to one person only', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Margaret');
    await you.go('general');
    await you.say('/forge whoami');
    await you.message('margaret').getByText('Only visible to you').waitFor();
    await you.be('Linus');
    await page.getByRole('main').getByText('This is the beginning').waitFor();
    expect(await page.getByText('Only visible to you').count()).toBe(0);
  });

  it('draws a card under a link to the forge, with buttons that work', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('general');
    await you.say(`Look: ${product.sandbox.address}/forge/acme/engine/issues/7`);
    const card = you.message('Look:');
    await card.getByText('Document the punch cards').waitFor();
    await card.getByRole('button', { name: 'Comment' }).click();
    await you.form.getByRole('textbox').last().fill('Part two is missing.');
    await you.form.getByRole('button', { name: /^(Comment|Add comment|Post)/ }).click();
    await expect
      .poll(() => product.sandbox.forge.world.issue('acme/engine', 7)?.comments.at(-1)?.body)
      .toContain('Part two is missing.');
  });

  it('opens Home with this person’s open items', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('Bellows Home');
    await page.getByRole('main').getByText('You are grace on Gitea').waitFor();
    await page
      .getByRole('main')
      .getByRole('heading', { name: /^Assigned to you/ })
      .waitFor();
  });

  it('counts what is new in a channel nobody has opened yet', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    const row = page.getByRole('navigation').getByRole('button', { name: /ops/ });
    expect(await row.textContent()).toBe('# ops');
    await product.sandbox.slack.as('margaret').post('ops', 'Who is on duty?');
    await page.getByRole('navigation').getByRole('button', { name: '# ops 1 new' }).waitFor();
    await you.be('Linus');
    await page.getByRole('navigation').getByRole('button', { name: '# ops 1 new' }).waitFor();
    await you.go('ops');
    await page.getByRole('navigation').getByRole('button', { name: '# ops', exact: true }).waitFor();
  });
});
