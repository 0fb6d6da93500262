import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize } from '../../src/chat/grammar.js';
import { anyText, growthOf } from '../support/properties.js';

const values = (text: string) => tokenize(text).map((token) => token.value);

describe('words', () => {
  it.each([
    ['issue close  #12', ['issue', 'close', '#12']],
    ['--label "needs review"', ['--label', 'needs review']],
    ['“needs review” „so“ ‘two words’', ['needs review', 'so', 'two words']],
    ['--title="Two words"', ['--title=Two words']],
    ['+label:"two words"', ['+label:two words']],
    ["don't stop, it's 5\" long", ["don't", 'stop,', "it's", '5"', 'long']],
    ['an "unclosed quote', ['an', '"unclosed', 'quote']],
    ['"a \\"quoted\\" word"', ['a "quoted" word']],
    ['two\\ words C:\\new', ['two words', 'C:\\new']],
    ['<@U12|Ada Lovelace> <#C1|general>', ['<@U12|Ada Lovelace>', '<#C1|general>']],
    ['<https://git.example.org/a/b/issues/1?x=1&amp;y=2|a link>', ['https://git.example.org/a/b/issues/1?x=1&y=2']],
    ['a &lt;b&gt; &amp;amp;', ['a', '<b>', '&amp;']],
    ['<mailto:ada@example.org|ada@example.org>', ['ada@example.org']],
    ['', []],
  ])('reads %s', (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it('never throws and covers the text in order, whatever it is', () => {
    const pieces = fc.constantFrom(
      '"',
      "'",
      '“',
      '’',
      '\\',
      '<',
      '>',
      '<@U1|a>',
      '&lt;',
      '--a',
      '—',
      '=',
      ' ',
      '\n',
      'x',
    );
    const texts = fc.oneof(
      anyText(),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let before = 0;
        for (const token of tokenize(text)) {
          expect(token.start).toBeGreaterThanOrEqual(before);
          expect(token.end).toBeGreaterThan(token.start);
          before = token.end;
        }
        expect(text.slice(before).trim()).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('takes time in proportion to a text of unclosed quotes', () => {
    expect(growthOf((letters) => tokenize(`'a "b `.repeat(letters / 6)), 6_000)).toBeLessThan(40);
  });
});
