import { viewIssues } from '@bellows/sandbox/slack/rules/surface.js';
import type { ModalView } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  body,
  choice,
  choices,
  clearable,
  date,
  flag,
  issue,
  labels,
  milestone,
  number,
  offset,
  optional,
  people,
  repository,
  rest,
  toggle,
} from '../../src/chat/fields.js';
import { drawForm } from '../../src/chat/form/draw.js';
import { readFormMeta } from '../../src/chat/form/meta.js';
import { chosenRepository, optionSourceOf } from '../../src/chat/form/questions.js';
import { readForm } from '../../src/chat/form/read.js';
import { commands } from '../../src/features/index.js';
import { close, create, reading, sample, signin } from './samples.js';

const everything = sample(
  {
    repository: repository(),
    title: rest({ label: 'Title' }),
    body: optional(body({ label: 'Description' })),
    position: flag(number({ label: 'Position', min: -128, max: 127 })),
    state: flag(choice(['open', 'closed'], { label: 'State' })),
    kinds: flag(choices(['bug', 'task', 'idea'], { label: 'Kinds' })),
    people: flag(people()),
    labels: flag(labels()),
    milestone: flag(milestone()),
    due: flag(date({ label: 'Due' })),
    draft: toggle({ label: 'Draft' }),
  },
  { name: 'issue make', examples: [] },
);

const edit = sample(
  {
    issue: issue(),
    title: flag(rest({ label: 'Title' })),
    body: flag(clearable(body({ label: 'Description' }))),
    labels: flag(clearable(labels())),
    from: offset(),
  },
  { name: 'issue edit', form: { prefill: async () => ({}) } },
);

const inputsOf = (view: ModalView) =>
  view.blocks.flatMap((block) => (block.type === 'input' && 'element' in block && 'label' in block ? [block] : []));

/** What Slack would send if the person changed nothing. */
function untouched(view: ModalView): Record<string, Record<string, Record<string, unknown>>> {
  return Object.fromEntries(
    inputsOf(view).map(({ block_id = '', element }) => {
      const shown: Readonly<Record<string, unknown>> = { ...element };
      const state = {
        type: element.type,
        value: shown['initial_value'] ?? null,
        selected_option: shown['initial_option'] ?? null,
        ...(/multi|checkboxes/.test(element.type) ? { selected_options: shown['initial_options'] ?? [] } : {}),
        selected_date: shown['initial_date'] ?? null,
      };
      return [block_id, { [element.action_id ?? '']: state }];
    }),
  );
}

const metaOf = (view: ModalView) => {
  const meta = readFormMeta(view.private_metadata ?? '');
  if (!meta) throw new Error('the form remembers nothing');
  return meta;
};
const issues = (view: ModalView) => viewIssues(JSON.parse(JSON.stringify(view)));
const sent = (command: typeof close, view: ModalView, state: unknown = untouched(view)) =>
  readForm(command, state, reading, metaOf(view));

describe('a form', () => {
  it('asks for every field and starts with what was typed', () => {
    const view = drawForm(create, {
      values: { repository: { owner: 'acme', repo: 'engine' }, labels: ['bug'] },
      meta: { command: 'issue create', channel: 'C1' },
    });
    expect(issues(view)).toEqual([]);
    expect(view.title.text).toBe('Create issue');
    expect(view.submit?.text).toBe('Create issue');
    expect(inputsOf(view).map((block) => [block.label.text, block.optional])).toEqual([
      ['Repository', true],
      ['Title', false],
      ['Description', true],
      ['Labels', true],
      ['Due', true],
      ['Draft', true],
    ]);
    expect(metaOf(view)).toEqual({
      command: 'issue create',
      channel: 'C1',
      about: { owner: 'acme', repo: 'engine' },
    });
  });

  it('names in each menu what it offers', () => {
    const view = drawForm(create, { values: {}, meta: { command: 'issue create' } });
    const menus = inputsOf(view).map((block) => optionSourceOf(block.element.action_id ?? ''));
    expect(menus).toEqual(['repositories', undefined, undefined, 'labels', undefined, undefined]);
    expect(optionSourceOf('title')).toBeUndefined();
    const chosen = { repository: { 'repositories:repository': { selected_option: { value: 'acme/pump' } } } };
    expect(chosenRepository(chosen, reading.webUrl)).toEqual({ owner: 'acme', repo: 'pump' });
    expect(chosenRepository({ title: { title: { value: 'x' } } }, reading.webUrl)).toBeUndefined();
  });

  it('comes back as the values it was drawn with, within Slack’s limits', () => {
    const text = fc
      .string({ minLength: 1, maxLength: 200 })
      .map((value) => value.trim())
      .filter((value) => value !== '');
    const long = fc
      .array(fc.string({ maxLength: 900 }), { maxLength: 20 })
      .map((all) => all.join('\n').trim().slice(0, 29_000).trim());
    const values = fc.record(
      {
        repository: fc.constantFrom({}, { owner: 'acme', repo: 'engine' }),
        title: text,
        draft: fc.boolean(),
        body: long.filter((value) => value !== ''),
        position: fc.integer({ min: -128, max: 127 }),
        state: fc.constantFrom('open', 'closed'),
        kinds: fc.subarray(['bug', 'task', 'idea'], { minLength: 1 }),
        people: fc.constantFrom([{ login: 'ada' }], [{ slack: 'U7', name: 'grace' }, { me: true }]),
        labels: fc.uniqueArray(
          text.map((value) => value.slice(0, 40).trim()),
          { minLength: 1, maxLength: 4 },
        ),
        milestone: fc.constantFrom({ id: 4 }, { title: 'v1.0' }, { title: 'a very long title '.repeat(12).trim() }),
        due: fc.constant('2026-12-01'),
      },
      { requiredKeys: ['repository', 'title', 'draft'] },
    );
    fc.assert(
      fc.property(values, (given) => {
        const view = drawForm(everything, { values: given, meta: { command: 'issue make' } });
        expect(issues(view)).toEqual([]);
        expect(sent(everything, view)).toEqual({ args: given });
      }),
    );
  });

  it('says what is wrong beside the field, all at once', () => {
    const view = drawForm(everything, { values: {}, meta: { command: 'issue make' } });
    const state = untouched(view);
    state['title'] = { title: { value: '   ' } };
    state['position'] = { position: { value: '200' } };
    expect(sent(everything, view, state)).toEqual({
      errors: {
        title: 'Title is empty: write some text.',
        position: 'Position must be a whole number from -128 to 127.',
      },
    });
  });

  it('never shows a secret again', () => {
    const view = drawForm(signin, { values: { login: 'ada', token: 'abc123' }, meta: { command: 'signin' } });
    expect(JSON.stringify(view)).not.toContain('abc123');
    expect(JSON.stringify(view)).toContain('Stored encrypted');
  });

  it('splits a long text into parts and leaves out what does not fit even then', () => {
    const lines = 'a line of text\n'.repeat(500).trim();
    const drawn = drawForm(create, { values: { title: 'x', body: lines }, meta: { command: 'issue create' } });
    expect(JSON.stringify(drawn)).toContain('Description (part 1 of 3)');
    expect(sent(create, drawn)).toMatchObject({ args: { body: lines } });
    const huge = drawForm(create, {
      values: { title: 'x', body: 'x'.repeat(90_000) },
      meta: { command: 'issue create' },
    });
    expect(issues(huge)).toEqual([]);
    expect(JSON.stringify(huge)).toContain('Too long to edit here, so it will not change.');
    expect(sent(create, huge)).toEqual({ args: { repository: {}, title: 'x', draft: false } });
  });
});

describe('a prefilled form', () => {
  const found = { owner: 'acme', repo: 'engine', index: 12 };
  const values = { issue: found, title: 'Leak', body: 'Drips.', labels: ['bug'] };

  it('keeps the item it was opened for and clears what was emptied', () => {
    const view = drawForm(edit, { values, meta: { command: 'issue edit' } });
    expect(view.blocks[0]).toMatchObject({ type: 'context' });
    expect(JSON.stringify(view.blocks[0])).toContain('acme/engine#12');
    const state = untouched(view);
    expect(Object.keys(state)).toEqual(['title', 'body', 'labels']);
    state['body'] = { body: { value: null } };
    state['labels'] = { 'labels:labels': { selected_options: [] } };
    expect(sent(edit, view, state)).toEqual({ args: { issue: found, title: 'Leak', body: null, labels: null } });
  });

  it('hides fields that only buttons and forms carry', () => {
    const view = drawForm(edit, { values: { ...values, from: 7 }, meta: { command: 'issue edit' } });
    expect(JSON.stringify(view.blocks[0])).not.toContain('7');
    expect(metaOf(view).preset).toMatchObject({ from: 7 });
  });

  it('says how to clear a value that cannot be typed', () => {
    const hintOf = (given: Readonly<Record<string, unknown>>) =>
      inputsOf(drawForm(edit, { values: given, meta: { command: 'issue edit' } })).find(
        ({ block_id }) => block_id === 'labels',
      )?.hint?.text;
    expect(hintOf(values)).toBe('Leave empty to clear it.');
    expect(hintOf({})).toBeUndefined();
  });

  it('clears nothing if the item was not known when it was drawn', () => {
    const view = drawForm(edit, { values: {}, meta: { command: 'issue edit' } });
    const state = { ...untouched(view), issue: { issue: { value: '#12' } } };
    expect(sent(edit, view, state)).toEqual({ args: { issue: { index: 12 } } });
  });

  it.each([
    ['a description', 'body', 'x'.repeat(40_000)],
    ['labels', 'labels', Array.from({ length: 60 }, (_, at) => `label-${at}`)],
  ])('leaves %s alone that could not be saved again', (_what, name, long) => {
    const view = drawForm(edit, { values: { ...values, [name]: long }, meta: { command: 'issue edit' } });
    expect(issues(view)).toEqual([]);
    expect(JSON.stringify(view)).toContain('Too long to edit here, so it will not change.');
    const { [name]: _left, ...others }: Record<string, unknown> = values;
    expect(sent(edit, view)).toEqual({ args: others });
  });

  it('lets people shorten their own text that is too long', () => {
    const typed = { title: 'x', body: 'word '.repeat(7_000).trim() };
    const view = drawForm(create, { values: typed, meta: { command: 'issue create' } });
    expect(JSON.stringify(view)).not.toContain('Too long to edit here');
    expect(JSON.stringify(sent(create, view))).toContain('is too long: 34999 characters');
  });

  it('shows an empty field for what has no value', () => {
    const view = drawForm(edit, { values: { ...values, body: '', labels: [] }, meta: { command: 'issue edit' } });
    expect(Object.keys(untouched(view))).toEqual(['title', 'body', 'labels']);
  });

  it('redrawn from submitted values clears nothing it did not show', () => {
    const { body: _, ...known } = values;
    const view = drawForm(edit, { values: known, meta: { command: 'issue edit' }, filledBefore: true });
    expect(Object.keys(untouched(view))).toEqual(['title', 'labels']);
    expect(sent(edit, view)).toEqual({ args: known });
    const loose = drawForm(edit, { values: known, meta: { command: 'issue edit' }, filledBefore: false });
    expect(Object.keys(untouched(loose))).toEqual(['issue', 'title', 'body', 'labels']);
    expect(sent(edit, loose)).toEqual({ args: known });
  });

  it('redrawn shows the new values', () => {
    const view = drawForm(edit, { values, meta: { command: 'issue edit' }, drawing: 2 });
    expect(issues(view)).toEqual([]);
    expect(Object.keys(untouched(view))).toEqual(['title~2', 'body~2', 'labels~2']);
    expect(sent(edit, view)).toEqual({ args: values });
  });
});

describe('a form’s metadata', () => {
  it('is refused unless it was written here', () => {
    expect(readFormMeta('')).toBeUndefined();
    expect(readFormMeta('{"command":"issue close","role":"admin"}')).toBeUndefined();
    expect(readFormMeta(JSON.stringify({ command: 'x', channel: 'C'.repeat(4000) }))).toBeUndefined();
  });

  it('is checked by the command’s fields', () => {
    expect(() => readForm(close, {}, reading, { command: 'issue close', preset: { issue: { index: -1 } } })).toThrow(
      'out of date',
    );
    expect(() => readForm(close, {}, reading, { command: 'issue close' })).toThrow('Issue is missing.');
    expect(() => readForm(close, { issue: 'x' }, reading, { command: 'issue close' })).toThrow(
      'Could not read this form',
    );
  });

  it('refuses an empty repository at its field where the channel has none', () => {
    const empty = { repository: { repository: { selected_option: null } }, title: { title: { value: 'A title' } } };
    const meta = { command: 'issue make', placeless: true } as const;
    expect(readForm(everything, empty, reading, meta)).toEqual({ errors: { repository: 'Choose a repository.' } });
    expect(readForm(everything, empty, reading, { command: 'issue make' })).toMatchObject({ args: { repository: {} } });
  });
});

describe('a form of the catalogue', () => {
  it.each(commands.map((command) => [command.name, command] as const))('says nothing twice: %s', (_, command) => {
    const view = drawForm(command, { values: {}, meta: { command: command.name } });
    for (const { label, element } of inputsOf(view)) {
      const said = JSON.parse(JSON.stringify(element));
      expect(said.placeholder?.text?.toLowerCase()).not.toBe(label.text.toLowerCase());
      if (said.type === 'checkboxes' && said.options.length === 1)
        expect(said.options[0].text.text).not.toBe(label.text);
    }
  });

  it('shows an example where the label would be repeated', () => {
    const create = commands.find(({ name }) => name === 'issue create');
    const view = create && drawForm(create, { values: {}, meta: { command: create.name } });
    expect(JSON.stringify(view)).toMatch(/"action_id":"title".*?"placeholder":\{"type":"plain_text","text":"[A-Z]/);
    expect(JSON.stringify(view)).not.toContain('Open an issue');
  });
});
