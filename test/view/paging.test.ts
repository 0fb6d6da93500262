import { describe, expect, it } from 'vitest';
import { button, drawPage, limits, md, section, stretch, weight } from './view.js';

const more = (from: number) => button({ text: 'Show more', action: 'more', value: { from } });

describe('paging', () => {
  const render = (at: number) => [section(md`row ${at}`)];
  const rows = Array.from({ length: 25 }, (_, at) => at);

  it('shows a page and a button that continues after it', () => {
    const blocks = drawPage(rows, 0, 10, render, more);
    expect(blocks).toHaveLength(12);
    expect(JSON.stringify(blocks.at(-2))).toContain('1–10 of 25');
    expect(blocks.at(-1)).toMatchObject({ elements: [{ value: '{"from":10}' }] });
  });

  it('ends without a button', () => {
    expect(drawPage(rows, 20, 10, render, more).map((block) => block.type)).not.toContain('actions');
  });

  it('shows a short list as it is', () => {
    expect(drawPage([1, 2], 0, 10, render, more)).toHaveLength(2);
  });

  it('loses no row if rows are long: the button continues where the message ended', () => {
    const long = () => [section(md`${'x'.repeat(2500)}`)];
    const blocks = drawPage(rows, 0, 10, long, more);
    expect(weight(blocks)).toBeLessThan(limits.message.characters);
    expect(blocks.at(-1)).toMatchObject({ elements: [{ value: '{"from":4}' }] });
  });

  it('continues a list of which the server has more', () => {
    const blocks = stretch({ items: [5, 6], from: 4, hasMore: true }, 2, render, more);
    expect(blocks.at(-1)).toMatchObject({ elements: [{ value: '{"from":6}' }] });
  });
});
