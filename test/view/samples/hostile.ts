import fc from 'fast-check';
import { anyText } from '../../support/properties.js';
import { Mrkdwn } from '../view.js';

const nasty = [
  '<!channel>',
  '<!here|here>',
  '<!everyone>',
  '<!subteam^S0GROUP>',
  '<@U0VICTIM>',
  '<#C0SECRET>',
  '<https://evil.test|forge.test>',
  '&lt;!channel&gt;',
  '&',
  ']|>',
  '>',
  '|',
  '`',
  '```',
  '*_~',
  '\u202E',
  '\u2066',
  '\u200B',
  '\u200D',
  '\u0000',
  '\uD800',
  '\n',
  '\r\n\n',
  '👩‍💻',
  '🏳️‍🌈',
  'שלום',
  'z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A',
  '[x](https://evil.test/|<@U0VICTIM>)',
  '![x](javascript:1)',
  '- [ ] <!channel>',
  '<!-- ',
  '<details>',
  'https://ada:hunter2@forge.test/?a=|<b>',
  'javascript:alert(1)',
];

/** Beyond every limit; the time of a try is that of its longest text. */
const longest = process.env['CI'] ? 100_000 : 20_000;

/** Anything a stranger could type into a forge, up to a hundred thousand characters. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...nasty), { maxLength: 12 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: anyText(80) },
  { weight: 2, arbitrary: fc.constantFrom(...nasty).map((part) => `https://forge.test/${part}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...nasty), fc.constantFrom(90, 3000, longest))
      .map(([part, length]) => part.repeat(Math.ceil(length / part.length))),
  },
);

/** The same shape with every string replaced; what builders made stays. */
export function spoil<T>(data: T, next: () => string): T {
  return walk(data, next) as T; // the walk keeps the shape, which the type system cannot follow
}

function walk(data: unknown, next: () => string): unknown {
  if (typeof data === 'string') return next();
  if (Array.isArray(data)) return data.map((entry) => walk(entry, next));
  if (typeof data !== 'object' || data === null || data instanceof Date || data instanceof Mrkdwn) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, walk(value, next)]));
}
