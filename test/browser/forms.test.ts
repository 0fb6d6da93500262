import { describe, expect, it } from 'vitest';
import { useProduct } from './support/page.js';
import { visitor } from './support/person.js';

describe('forms', () => {
  const product = useProduct();

  it('says beside the field what is missing, keeps what was typed, and takes it once it is right', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('engine');
    await you.say('/forge issue create');
    const repository = you.form.getByRole('combobox', { name: 'Repository' });
    await repository.click();
    await repository.fill('webs');
    await you.form.getByRole('option', { name: 'acme/website' }).click();
    await you.form.getByRole('textbox', { name: 'Text' }).fill('Seen on a *phone*.');
    await you.form.getByRole('button', { name: 'Create' }).click();
    await you.form.getByRole('alert').filter({ hasText: 'required' }).waitFor();
    expect(await you.form.getByRole('textbox', { name: 'Title' }).getAttribute('aria-invalid')).toBe('true');
    await you.form.getByRole('textbox', { name: 'Title' }).fill('The menu hides behind the picture');
    await you.form.getByRole('button', { name: 'Create' }).click();
    await you.message('The menu hides behind the picture').waitFor();
    await you.form.waitFor({ state: 'detached' });
    const made = [...product.sandbox.forge.world.repo('acme/website').issues.values()].at(-1);
    expect(made).toMatchObject({ title: 'The menu hides behind the picture', body: 'Seen on a *phone*.' });
  });

  it('scrolls in one place only, however long its text is', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.go('engine');
    await you.say('/forge issue create');
    await you.form.getByRole('textbox', { name: 'Text' }).fill('A line.\n'.repeat(40));
    await page.setViewportSize({ width: 1280, height: 520 });
    const scrolling = await page.evaluate(`[...document.querySelectorAll('dialog, dialog *')]
      .filter((each) => each.scrollHeight > each.clientHeight + 1)
      .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY))
      .map((each) => each.className || each.tagName)`);
    expect(scrolling).toEqual(['body']);
    await page.keyboard.press('Escape');
  });

  it('shows an error that only the forge knows', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Linus');
    await you.say('/forge signin other');
    await you.form.getByRole('textbox', { name: 'Access token' }).fill('not-a-token');
    await you.form.getByRole('button', { name: 'Link account' }).click();
    await you.message('The forge rejected this').waitFor();
  });

  it('closes with Escape and leaves nothing behind', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Margaret');
    await you.say('/forge issue create');
    await you.form.waitFor();
    await page.keyboard.press('Escape');
    await you.form.waitFor({ state: 'detached' });
    expect(product.sandbox.slack.as('margaret').openView()).toBeUndefined();
  });

  it('picks several from a list and a day from a calendar', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.be('Grace');
    await you.say('/forge issue create acme/engine');
    await you.form.getByRole('textbox', { name: 'Title' }).fill('Grease the axle');
    const labels = you.form.getByRole('combobox', { name: 'Labels' });
    await labels.click();
    await you.form.getByRole('option', { name: 'bug' }).click();
    await labels.fill('urg');
    await labels.press('Enter');
    await you.form.getByRole('button', { name: 'Remove urgent' }).waitFor();
    await you.form.getByLabel(/^Due/).fill('2027-03-04');
    await you.form.getByRole('button', { name: 'Create' }).click();
    await you.message('Grease the axle').waitFor();
    const made = [...product.sandbox.forge.world.repo('acme/engine').issues.values()].at(-1);
    expect(made?.labels.map(({ name }) => name).sort()).toEqual(['bug', 'urgent']);
    expect(made?.dueDate).toContain('2027-03-04');
  });

  it.each([
    ['a desktop', 1280, 800],
    ['a phone', 390, 780],
  ])('shows the whole list of a menu on %s', async (_, width, height) => {
    const { page } = await product.open({ viewport: { width, height } });
    const you = visitor(page);
    await you.say('/forge');
    const search = you.form.getByRole('combobox');
    await search.fill('merg');
    await you.form.getByRole('option', { name: /^Merge a pull request/ }).waitFor();
    // What is hit just inside the list's corners: nothing covers or cuts it.
    const corners = await page.evaluate<boolean[]>(
      `(() => {
        const list = document.querySelector('dialog [role=listbox]');
        const { left, right, top, bottom } = list.getBoundingClientRect();
        return [[left + 12, top + 12], [right - 12, top + 12], [left + 12, bottom - 12], [right - 12, bottom - 12]]
          .map(([x, y]) => list.contains(document.elementFromPoint(x, y)));
      })()`,
    );
    expect(corners).toEqual([true, true, true, true]);
    const [list, field] = await Promise.all([you.form.getByRole('listbox').boundingBox(), search.boundingBox()]);
    expect(list?.width).toBeGreaterThanOrEqual(280);
    expect(list?.y).toBeGreaterThanOrEqual((field?.y ?? 0) + (field?.height ?? 0));
    await page.keyboard.press('Escape');
    expect(await you.form.getByRole('listbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await you.form.waitFor({ state: 'detached' });
  });

  it('keeps the chosen row of a long list in sight', async () => {
    const { page } = await product.open();
    const you = visitor(page);
    await you.say('/forge');
    await you.form.getByRole('combobox').click();
    await you.form.getByRole('option').first().waitFor();
    const last = (await you.form.getByRole('option').count()) - 1;
    for (let at = 0; at < last; at += 1) await page.keyboard.press('ArrowDown');
    const [list, row] = await Promise.all([
      you.form.getByRole('listbox').boundingBox(),
      you.form.getByRole('option', { selected: true }).boundingBox(),
    ]);
    const end = (box: typeof list) => (box ? box.y + box.height : 0);
    expect(end(row)).toBeLessThanOrEqual(end(list));
  });
});
