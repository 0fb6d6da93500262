import { liveMentions } from '@bellows/sandbox/slack/mentions.js';
import { messageIssues } from '@bellows/sandbox/slack/rules/surface.js';
import fc from 'fast-check';
import { Tokenizer } from 'marked';
import { describe, expect, it, vi } from 'vitest';
import { tries } from '../support/properties.js';
import { hostile } from './samples/hostile.js';
import { honestLabel, prettyBody, richBody } from './view.js';

const page = 'https://forge.test/git/acme/engine/issues/7';

interface Leaf {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly style?: object;
}

/** Every element of the text, in order. */
const leavesOf = (markdown: string): Leaf[] =>
  (richBody(markdown, page)?.elements ?? []).flatMap((block): Leaf[] =>
    block.type === 'rich_text_list' ? block.elements.flatMap(({ elements }) => elements) : block.elements,
  );
const linksOf = (markdown: string) =>
  leavesOf(markdown).flatMap(({ type, text, url }) => (type === 'link' ? [[text, url]] : []));

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

  it('reads emphasis, strike-through, escapes and entities', () => {
    expect(leavesOf('*i* ~~s~~ ***both*** \\*x\\* &lt;!here&gt; `&lt;`')).toEqual([
      { type: 'text', text: 'i', style: { italic: true } },
      { type: 'text', text: ' ' },
      { type: 'text', text: 's', style: { strike: true } },
      { type: 'text', text: ' ' },
      { type: 'text', text: 'both', style: { italic: true, bold: true } },
      { type: 'text', text: ' *x* <!here> ' },
      { type: 'text', text: '&lt;', style: { code: true } },
      { type: 'text', text: '\n' },
    ]);
  });

  it('keeps the levels, numbers and boxes of lists', () => {
    const body = '- [x] done\n  - sub\n- [ ] open\n\n3. three\n   ```sh\n   ls\n   ```\n4. four';
    expect(prettyBody(body)).toBe('• ☑ done\n  • sub\n• ☐ open\n3. three\nls\n4. four');
    const item = (...words: string[]) => ({
      type: 'rich_text_section',
      elements: words.map((text) => ({ type: 'text', text })),
    });
    expect(richBody(body)?.elements).toEqual([
      { type: 'rich_text_list', style: 'bullet', indent: 0, elements: [item('☑ ', 'done')] },
      { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [item('sub')] },
      { type: 'rich_text_list', style: 'bullet', indent: 0, elements: [item('☐ ', 'open')] },
      { type: 'rich_text_list', style: 'ordered', indent: 0, offset: 2, elements: [item('three')] },
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'ls' }] },
      { type: 'rich_text_list', style: 'ordered', indent: 0, offset: 3, elements: [item('four')] },
    ]);
  });

  it('aligns tables as code', () => {
    expect(richBody('| Job | Time |\n|---|--:|\n| **build** | 2 |\n| `lint` | 14 |')?.elements).toEqual([
      {
        type: 'rich_text_preformatted',
        elements: [{ type: 'text', text: 'Job    Time\n─────  ────\nbuild     2\nlint     14' }],
      },
    ]);
  });

  it('keeps tags and comments in code', () => {
    expect(prettyBody('```html\n<b>x</b> <!-- y -->\n```\n`<i>`')).toBe('<b>x</b> <!-- y -->\n<i>');
  });

  it.each([
    ['[w](https://x.test/a_(b)?c=1&amp;d=2 "title")', 'w', 'https://x.test/a_(b)?c=1&d=2'],
    ['[ref]\n\n[ref]: https://x.test/r', 'ref', 'https://x.test/r'],
    ['see https://x.test/a_(b).', 'https://x.test/a_(b)', 'https://x.test/a_(b)'],
    ['![pipe](https://x.test/p.png)', '[image: pipe]', 'https://x.test/p.png'],
    ['<img width="20" alt="pipe" src="/attachments/0a-1">', '[image: pipe]', 'https://forge.test/git/attachments/0a-1'],
    ['[![ci](https://x.test/b.svg)](https://x.test/ci)', '[image: ci]', 'https://x.test/ci'],
    ['fixes #12.', '#12', 'https://forge.test/git/acme/engine/issues/12'],
    ['(acme/web#3)', 'acme/web#3', 'https://forge.test/git/acme/web/issues/3'],
    ['thanks @ada-l.', '@ada-l', 'https://forge.test/git/ada-l'],
    ['since 0123abcdef,', '0123abcdef', 'https://forge.test/git/acme/engine/commit/0123abcdef'],
  ])('links what it names: %s', (markdown, label, url) => {
    expect(linksOf(markdown)).toEqual([[label, url]]);
  });

  it.each([
    '`#12 @ada 0123abcdef`',
    'ada@forge.test',
    '@here @channel @everyone',
    'a#12 #12a deadbeef 20261117',
    '../x#1 acme/..#1',
    '[x](/relative) [y](javascript:1)',
  ])('leaves %s alone', (markdown) => {
    expect(linksOf(markdown)).toEqual([]);
  });

  it('does not let two links read as one address', () => {
    expect(leavesOf('[forge.](https://evil.test/a)[test](https://evil.test/b)').map(({ text }) => text)).toEqual([
      'forge.',
      ' ',
      'test',
      '\n',
    ]);
  });

  const parts = fc.oneof(
    hostile,
    fc.constantFrom(
      '[',
      '](',
      ')',
      '**',
      '_',
      '~~',
      '> ',
      '- ',
      '1. ',
      '\n\n',
      '`',
      '|a|b|\n|-|-|\n',
      '<img src="',
      '">',
    ),
    fc.constantFrom('#12', '@here', '@U0VICTIM', 'acme/engine#12', '0123abcdef', '&#60;!channel&#62;', '&#x202e;'),
    fc.constantFrom('forge.test/login', 'https://forge.test/login', 'https://forge.test@evil.test', 'www.evil.test'),
  );

  it('makes no mention, no broadcast and no link to another place than it shows', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (some) => {
        const markdown = some.join('');
        const block = richBody(markdown, page);
        const blocks = block ? [JSON.parse(JSON.stringify(block))] : [];
        expect(blocks.length === 0 ? [] : messageIssues(blocks)).toEqual([]);
        expect(liveMentions({ text: '', blocks })).toEqual([]);
        const leaves = leavesOf(markdown);
        expect(leaves.filter(({ type }) => type !== 'text' && type !== 'link')).toEqual([]);
        for (const { text = '', url } of leaves) {
          expect(text).not.toMatch(/\p{Cs}|[\u{202A}-\u{202E}\u{2066}-\u{2069}\u{200B}]/u);
          if (url !== undefined) expect(honestLabel(text, url)).toBe(text);
        }
      }),
      tries(170),
    );
  });

  it.each([
    ['quotes', '> '],
    ['quotes without spaces', '>'],
    ['lists', '- '],
    ['numbered lists', '1. '],
    ['lists in quotes', '> - '],
  ])('reads thousands of nested %s in as many steps as a few', (_name, mark) => {
    const steps = (depth: number) => {
      const counted = [vi.spyOn(Tokenizer.prototype, 'blockquote'), vi.spyOn(Tokenizer.prototype, 'list')];
      const words = prettyBody(`${mark.repeat(depth)}end`);
      const calls = counted.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      for (const each of counted) each.mockRestore();
      return { calls, words };
    };
    const deep = steps(6000 / mark.length);
    expect(deep.calls).toBe(steps(60).calls);
    expect(deep.calls).toBeLessThan(60);
  });

  it('shows the words below 6,000 nested quotes', () => {
    expect(prettyBody(`${'>'.repeat(6000)} end`)).toContain('end');
  });

  it('reads what follows a long template comment or folded log', () => {
    expect(prettyBody(`<!-- ${'x '.repeat(10_000)}-->\nWords`)).toBe('Words');
    expect(prettyBody(`<details><summary>Log</summary>\n\n${'x '.repeat(4000)}\n\n</details>\n\nEnd`)).toBe('Log\nEnd');
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
