import { describe, expect, it } from 'vitest';
import {
  bold,
  channel,
  clip,
  code,
  codeBlock,
  date,
  foreignLink,
  join,
  link,
  md,
  mention,
  quote,
  userGroup,
} from './view.js';

const now = new Date('2026-08-20T12:00:00Z');

describe('text', () => {
  it('escapes every value', () => {
    expect(md`Closed ${'<!channel> & <@U1>'}.`.source).toBe('Closed &lt;!channel&gt; &amp; &lt;@U1&gt;.');
  });

  it('escapes the text between values too: only builders create live markup', () => {
    expect(md`<!here> ${1}`.source).toBe('&lt;!here&gt; 1');
  });

  it('keeps a value on one line and its backticks apart from ours', () => {
    expect(md`${'one\r\n two\t`three`'}`.source).toBe('one two ˋthreeˋ');
  });

  it('links with a clean address and an escaped label', () => {
    expect(link('https://forge.test/a?b=1&c=|x>', 'A > B').source).toBe(
      '<https://forge.test/a?b=1&amp;c=%7Cx%3E|A &gt; B>',
    );
  });

  it('drops credentials from an address', () => {
    expect(link('https://ada:hunter2@forge.test/x', 'x').source).toBe('<https://forge.test/x|x>');
  });

  it('shows only the text if the address is invalid', () => {
    expect(link('javascript:alert(1)', 'click').source).toBe('click');
    expect(link('', 'click').source).toBe('click');
  });

  it('shows the target if a name or title is another address', () => {
    expect(link('https://evil.test/x', 'https://forge.test/x').source).toBe(
      '<https://evil.test/x|https://evil.test/x>',
    );
    expect(link('https://forge.test/1', '#1 https://x.test is down').source).toBe(
      '<https://forge.test/1|#1 https://x.test is down>',
    );
    expect(link('https://forge.test/1', 'Node.js').source).toBe('<https://forge.test/1|Node.js>');
  });

  it.each([
    ['git.forge.test/login', 'https://evil.test/x'],
    ['Sign in at https://forge.test', 'https://evil.test/x'],
    ['https://forge.test@evil.test', 'https://evil.test/x'],
    ['ci/build (push)', 'ci/build (push)'],
  ])('shows where a link leads that others chose: %s', (label, shown) => {
    expect(foreignLink('https://evil.test/x', label).source).toBe(`<https://evil.test/x|${shown}>`);
  });

  it('mentions people, channels and groups by id alone', () => {
    expect(md`${mention('U1')} in ${channel('C1')} with ${userGroup('S1')}`.source).toBe(
      '<@U1> in <#C1> with <!subteam^S1>',
    );
    expect(mention('U1> <!channel', 'ada').source).toBe('ada');
  });

  it('shows a moment in the reader’s time zone', () => {
    expect(date(new Date('2026-08-20T09:00:00Z'), now).source).toBe(
      '<!date^1787216400^{date_short_pretty} at {time}|3 hours ago>',
    );
  });

  it('says never for the times a forge sends instead of none', () => {
    expect(date('0001-01-01T00:00:00Z', now).source).toBe('never');
    expect(date('1970-01-01T00:00:00Z', now).source).toBe('never');
    expect(date('nonsense', now).source).toBe('never');
  });

  it('keeps code and bold closed whatever they contain', () => {
    expect(code('a`b').source).toBe('`aˋb`');
    expect(codeBlock('a\n```\nb').source).toBe('```\na\nˋˋˋ\nb\n```');
    expect(bold('2*3').source).toBe('*2∗3*');
  });

  it('quotes every line', () => {
    expect(quote('a\n<b>').source).toBe('>a\n>&lt;b&gt;');
  });

  it('joins non-empty parts', () => {
    expect(join(['a', undefined, '', md`b`]).source).toBe('a · b');
  });

  it('reads as plain text without live markup', () => {
    const text = md`${mention('U1', 'ada')} closed ${link('https://forge.test/1', '#1 <!channel>')}`;
    expect(text.plain).toBe('ada closed #1 <!channel>');
  });

  it('removes invisible characters and direction overrides', () => {
    expect(md`${'a\u202Eb\u200Bc\u0000d\uFEFF\u2066e'}`.source).toBe('abcde');
  });

  it('keeps joined emoji whole', () => {
    expect(md`${'👩‍💻 a\u200Db'}`.source).toBe('👩‍💻 ab');
  });

  it('clips between graphemes and counts entities', () => {
    expect(clip('👩‍💻👩‍💻👩‍💻', 7)).toBe('👩‍💻…');
    expect(clip('<<<<', 9)).toBe('<<…');
    expect(clip('short', 9)).toBe('short');
  });

  it('never cuts through a link', () => {
    const text = md`see ${link('https://forge.test/long', 'a very long title')} and more`;
    expect(text.within(40).source).toBe('see <https://forge.test/long|a very lo…>');
    expect(text.within(30).source).toBe('see …');
  });
});
