import { formatDate } from '@bellows/sandbox/page/app/dates.js';
import { parse } from '@bellows/sandbox/page/app/mrkdwn.js';
import { describe, expect, it } from 'vitest';

const text = (value: string) => ({ kind: 'text', text: value });

describe('mrkdwn', () => {
  it('reads links, mentions and channels', () => {
    expect(parse('See <https://a.example/?x=1&amp;y=2|the &lt;page&gt;>, <@U1> in <#C1|ops>')).toEqual([
      text('See '),
      { kind: 'link', url: 'https://a.example/?x=1&y=2', text: 'the <page>' },
      text(', '),
      { kind: 'user', id: 'U1', label: '' },
      text(' in '),
      { kind: 'channel', id: 'C1', label: 'ops' },
    ]);
  });

  it('formats only at the edges of words', () => {
    expect(parse('*bold* and _it_ and snake_case_name 2*3*4')).toEqual([
      { kind: 'bold', children: [text('bold')] },
      text(' and '),
      { kind: 'italic', children: [text('it')] },
      text(' and snake_case_name 2*3*4'),
    ]);
  });

  it('puts links inside bold words', () => {
    expect(parse('*<https://a.example|x>*')).toEqual([
      { kind: 'bold', children: [{ kind: 'link', url: 'https://a.example', text: 'x' }] },
    ]);
  });

  it('leaves escaped control characters as plain characters', () => {
    expect(parse('&lt;!channel&gt; &amp; &lt;@U1&gt;')).toEqual([text('<!channel> & <@U1>')]);
  });

  it('formats nothing inside code', () => {
    expect(parse('`*a*` and ```\n*b*\n&gt; c\n```')).toEqual([
      { kind: 'code', text: '*a*' },
      text(' and '),
      { kind: 'pre', text: '*b*\n> c' },
    ]);
  });

  it('gathers quoted lines', () => {
    expect(parse('said\n>one\n>two\ndone')).toEqual([
      text('said'),
      { kind: 'quote', children: [text('one'), { kind: 'break' }, text('two')] },
      text('done'),
    ]);
  });

  it('never makes a link of anything but a web or mail address', () => {
    expect(parse('<javascript:alert(1)|x>')).toEqual([text('<javascript:alert(1)|x>')]);
  });

  it('shows dates near today as words', () => {
    const now = new Date(2026, 10, 10, 12);
    const seconds = new Date(2026, 10, 9, 9, 30).getTime() / 1000;
    expect(parse(`<!date^${seconds}^{date_short_pretty} at {time}|then>`)).toEqual([
      { kind: 'date', seconds, format: '{date_short_pretty} at {time}', fallback: 'then' },
    ]);
    expect(formatDate(seconds, '{date_short_pretty} at {time}', now)).toMatch(/^Yesterday at 9:30\sAM$/);
  });
});
