import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  actionName,
  actions,
  bold,
  button,
  code,
  divider,
  doneCard,
  encodeValue,
  failureCard,
  fields,
  fitsInput,
  heading,
  limits,
  link,
  linkButton,
  list,
  literal,
  md,
  mention,
  message,
  overflow,
  readValue,
  say,
  section,
  select,
  textInput,
  weight,
  withBlocks,
} from './view.js';

const more = (from: number) => button({ text: 'Show more', action: 'more', value: { from } });

describe('message', () => {
  it('derives a fallback text from its blocks', () => {
    const { text } = message({ blocks: [divider(), heading('Inbox'), section(md`3 < 4 for ${mention('U1')}`)] });
    expect(text).toBe('Inbox: 3 &lt; 4 for someone');
  });

  it('has no asterisks in the derived text, and keeps what only looks like one', () => {
    const words = md`${bold('1')} found with ${code('commits:*')}: 2*3*4 ${bold(link('https://forge.test/a', 'Leak'))}`;
    expect(message({ blocks: [section(words)] }).text).toBe('1 found with `commits:*`: 2*3*4 Leak');
  });

  it('keeps its text when blocks are added', () => {
    const said = say(md`Closed ${'<b> & co'}`);
    const more = withBlocks(said, [...said.blocks, divider()]);
    expect(more.text).toBe('Closed &lt;b&gt; &amp; co');
    expect(more.blocks).toHaveLength(2);
  });

  it('never has an empty fallback text', () => {
    expect(message({ blocks: [] }).text).not.toBe('');
    expect(message({ text: ' ', blocks: [divider()] }).text).not.toBe('');
  });

  it('leaves out what is absent', () => {
    expect(message({ blocks: [undefined, section(md`a`), actions()] }).blocks).toHaveLength(1);
  });

  it('keeps to fifty blocks, its buttons first, and says that something is missing', () => {
    const many = Array.from({ length: 80 }, (_, at) => section(md`row ${at}`));
    const { blocks } = message({ blocks: [...many, actions(more(50))] });
    expect(blocks).toHaveLength(50);
    expect(blocks.at(-1)?.type).toBe('actions');
    expect(JSON.stringify(blocks.at(-2))).toContain('too long for one message');
  });

  it('keeps to Slack’s limit over all blocks', () => {
    const long = Array.from({ length: 10 }, () => section(md`${'x'.repeat(2900)}`));
    const { blocks } = message({ blocks: long });
    expect(weight(blocks)).toBeLessThanOrEqual(limits.message.characters);
    expect(blocks).toHaveLength(5);
  });

  it('says one sentence with a button', () => {
    const said = say(md`Closed.`, button({ text: 'Undo', action: 'undo', value: 1 }));
    expect(said.text).toBe('Closed.');
    expect(said.blocks.map((block) => block.type)).toEqual(['section', 'actions']);
  });
});

describe('blocks', () => {
  it('distinguishes two buttons of one row and still knows their name', () => {
    const row = actions(more(1), more(2), linkButton('Open', 'https://forge.test/'));
    const ids = row?.elements.map((element) => element.action_id ?? '') ?? [];
    expect(new Set(ids).size).toBe(3);
    expect(ids.map(actionName)).toEqual(['more', 'more', 'link']);
  });

  it('packs lines into as few sections as possible', () => {
    const rows = Array.from({ length: 100 }, () => md`${'x'.repeat(100)}`);
    const sections = list(rows);
    expect(sections).toHaveLength(4);
    expect(sections.every((block) => (block.text?.text.length ?? 0) <= limits.section.text)).toBe(true);
  });

  it('puts ten fields into a section', () => {
    const pairs = Array.from({ length: 12 }, (_, at) => [`Label ${at}`, at] as const);
    expect(fields(pairs).map((block) => block.fields?.length)).toEqual([10, 2]);
  });

  it('shows text verbatim', () => {
    expect(literal('<!channel> *b*').elements).toEqual([
      { type: 'rich_text_section', elements: [{ type: 'text', text: '<!channel> *b*' }] },
    ]);
  });

  it('leaves a menu entry out rather than break the message', () => {
    const menu = overflow('act', [
      { text: 'Close', value: { c: 'close' } },
      { text: 'Long', value: 'x'.repeat(200) },
    ]);
    expect(menu?.options).toHaveLength(1);
    expect(overflow('act', [])).toBeUndefined();
  });

  it('keeps only what can be chosen', () => {
    const choices = Array.from({ length: 150 }, (_, at) => ({ value: `v${at}`, label: `Label ${at}` }));
    const menu = select({ action: 'pick', choices, initial: ['v3'] });
    expect(menu.options).toHaveLength(100);
    expect(menu).toMatchObject({ initial_option: { value: 'v3' } });
  });

  it('does not change editable text, and says when it is too long', () => {
    const text = 'a\u200Bb <@U1>\n`';
    expect(textInput({ action: 'body', initial: text }).initial_value).toBe(text);
    expect(fitsInput(text)).toBe(true);
    expect(fitsInput('x'.repeat(3001))).toBe(false);
  });
});

describe('a button value', () => {
  const Value = z.object({ issue: z.int() });

  it('comes back unchanged', () => {
    expect(readValue(Value, encodeValue({ issue: 12 }))).toEqual({ issue: 12 });
  });

  it('is refused with advice if it is not what was sent', () => {
    expect(() => readValue(Value, '{"issue":"12"}')).toThrow('Run the command again');
    expect(() => readValue(Value, 'nonsense')).toThrow('Run the command again');
    expect(() => readValue(Value, undefined)).toThrow('Run the command again');
  });

  it('is refused if Slack would refuse it', () => {
    expect(() => encodeValue('x'.repeat(2000))).toThrow(RangeError);
  });
});

describe('outcomes', () => {
  it('say what was done and exactly what was not', () => {
    const { text, blocks } = message({
      blocks: doneCard({ says: md`Asked ada for a review.`, but: ['nobody is called bob'] }),
    });
    expect(text).toBe('☑️ Asked ada for a review.');
    expect(JSON.stringify(blocks)).toContain('⚠️ nobody is called bob');
  });

  it('say what to do next', () => {
    const { blocks } = message({ blocks: failureCard({ says: 'You are not signed in.', attempt: '/forge signin' }) });
    expect(JSON.stringify(blocks)).toContain('Try: `/forge signin`');
  });
});
