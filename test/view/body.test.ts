import { describe, expect, it } from 'vitest';
import { prettyBody, richBody } from './view.js';

describe('a body', () => {
  it('becomes rich text of literal elements', () => {
    expect(richBody('# Title\nA **b** `c` [d](https://x.test) <!channel>')?.elements).toEqual([
      { type: 'rich_text_section', elements: [{ type: 'text', text: 'Title\n', style: { bold: true } }] },
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'A ' },
          { type: 'text', text: 'b', style: { bold: true } },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'c', style: { code: true } },
          { type: 'text', text: ' ' },
          { type: 'link', url: 'https://x.test/', text: 'd' },
          { type: 'text', text: ' <!channel>\n' },
        ],
      },
    ]);
  });

  it('keeps lists, quotes and code', () => {
    const types = richBody('- a\n- b\n\n1. c\n\n> d\n\n```js\ne\n```')?.elements.map((element) => element.type);
    expect(types).toEqual(['rich_text_list', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted']);
  });

  it('loses template comments, folded details and tags', () => {
    const body =
      '<!-- fill in -->\nSeen <b>here</b>.\n\n\n\n<details><summary>Log</summary>\n\nvery long\nlog\n</details>\nEnd.';
    expect(prettyBody(body)).toBe('Seen here.\nLog\nEnd.');
  });

  it('keeps what only looks like a tag', () => {
    expect(prettyBody('a < b and Array<string> and <https://x.test/>')).toBe(
      'a < b and Array<string> and https://x.test/',
    );
  });

  it('names pictures and never links to a script', () => {
    expect(prettyBody('![pipe](https://x.test/p.png) [x](javascript:1)')).toBe('[image: pipe] x');
    expect(JSON.stringify(richBody('[x](javascript:1)'))).not.toContain('javascript');
  });

  const labelOf = (markdown: string) =>
    richBody(markdown)?.elements.flatMap((section) =>
      section.type === 'rich_text_section'
        ? section.elements.flatMap((part) => (part.type === 'link' ? [part.text] : []))
        : [],
    );

  it.each([
    ['https://forge.test/login', 'https://evil.test/login'],
    ['Sign in at https://forge.test/login again', 'https://evil.test/'],
    ['forge.test', 'https://evil.test/forge.test.html'],
    ['**forge.test/login**', 'https://evil.test/'],
    ['www.forge.test', 'https://evil.test/'],
    ['https://forge.test@evil.test/', 'https://evil.test/'],
    ['HTTPS://FORGE.test:8443/x', 'https://forge.test/x'],
    ['forge。test', 'https://evil.test/'],
  ])('shows the target of a link that reads as another address: %s', (label, target) => {
    expect(labelOf(`[${label}](${target})`)).toEqual([target]);
  });

  it.each([
    ['https://forge.test/a', 'https://forge.test/b'],
    ['Forge.test', 'https://forge.test/b'],
    ['README.md', 'https://forge.test/acme/engine/src/README.md'],
    ['v1.2.3', 'https://forge.test/'],
    ['the Node.js docs', 'https://nodejs.test/'],
    ['e.g. this one', 'https://nodejs.test/'],
  ])('keeps a label that misleads nobody: %s', (label, target) => {
    expect(labelOf(`[${label}](${target})`)).toEqual([label]);
  });

  it('is clipped, and nothing when it is empty', () => {
    expect(prettyBody('x'.repeat(5000), 100)).toHaveLength(100);
    expect(richBody(' <!-- only a comment -->')).toBeUndefined();
    expect(richBody(null)).toBeUndefined();
  });
});
