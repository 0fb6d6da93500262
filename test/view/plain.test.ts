import { expect, it } from 'vitest';
import { section } from '../../src/view/blocks.js';
import { message } from '../../src/view/message.js';
import { wholeText } from '../../src/view/plain.js';
import { md } from '../../src/view/text.js';

it('a message as plain text is truncated at 16,000 characters', () => {
  const blocks = Array.from({ length: 40 }, (_, at) => section(md`${`${at} `.padEnd(2_000, 'x')}`));
  const said = message({ blocks: blocks.slice(0, 2) });
  expect(wholeText({ ...said, blocks }).length).toBe(16_000);
  expect(wholeText(said).length).toBeGreaterThan(3_900);
});
