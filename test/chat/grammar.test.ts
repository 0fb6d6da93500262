import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { commandLine, parseCommand } from '../../src/chat/grammar.js';
import { UserError } from '../../src/errors.js';
import { commands } from '../../src/features/index.js';
import { anyText, tries } from '../support/properties.js';
import { assign, catalog, close, comment, create, reading, runs, signin } from './samples.js';

const parse = (text: string) => parseCommand(text, catalog, reading);
const refused = (text: string) => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
};

describe('a typed command', () => {
  it('runs when it is complete', () => {
    expect(parse('issue close acme/engine#12')).toEqual({
      kind: 'command',
      command: close,
      args: { issue: { owner: 'acme', repo: 'engine', index: 12 } },
      missing: [],
      dryRun: false,
    });
  });

  it('is found by its alias, in any case, after the slash command pasted twice', () => {
    expect(parse('/forge Close #12')).toMatchObject({ command: close, args: { issue: { index: 12 } } });
  });

  it('names what is missing, so that the form can ask', () => {
    expect(parse('issue close')).toMatchObject({ command: close, args: {}, missing: ['issue'] });
  });

  it('uses the channel’s repository if the first word is not one', () => {
    expect(parse('issue create Crash on start')).toMatchObject({
      command: create,
      args: { repository: {}, title: 'Crash on start' },
      missing: [],
    });
  });

  it('takes the description from below the first line, flags and quotes left as they are', () => {
    const line = 'issue create acme/engine It\'s a "crash" --labels bug,"needs review"\nSteps:\n  use --force "twice"';
    expect(parse(line)).toMatchObject({
      args: {
        repository: { owner: 'acme', repo: 'engine' },
        title: 'It\'s a "crash"',
        body: 'Steps:\n  use --force "twice"',
        labels: ['bug', 'needs review'],
      },
    });
  });

  it.each([
    '--labels bug, docs',
    '--labels bug ,docs',
    '--labels bug , docs',
    '--labels=bug, docs',
    '--labels bug, docs --due 2027-01-05',
    '--labels bug, —due 2027-01-05 --labels docs',
  ])('reads a list with spaces around its commas: %s', (flags) => {
    const made = parse(`issue create acme/engine A title with ${flags}`);
    expect(made).toMatchObject({ args: { title: 'A title with', labels: ['bug', 'docs'] } });
  });

  it('leaves the words after a list to the text', () => {
    const made = parse('issue create acme/engine Leak --labels bug, docs in the cellar, again');
    expect(made).toMatchObject({ args: { title: 'Leak in the cellar, again', labels: ['bug', 'docs'] } });
    const quoted = parse('issue create acme/engine --labels "bug," Leak');
    expect(quoted).toMatchObject({ args: { title: 'Leak', labels: ['bug'] } });
  });

  it('takes a comment from the line, from below it, or both', () => {
    const reads = (text: string) => expect(parse(text)).toMatchObject({ command: comment, missing: [] });
    reads('issue comment #12 I agree');
    expect(parse('issue comment #12\nI agree\n- really')).toMatchObject({ args: { body: 'I agree\n- really' } });
    expect(parse('issue comment #12 I agree\nreally')).toMatchObject({ args: { body: 'I agree\nreally' } });
  });

  it('keeps mentions, in text and in fields that ask for people', () => {
    expect(parse('issue comment #12 thanks <@U7|ada>, see <https://example.org|example.org>')).toMatchObject({
      args: { body: 'thanks <@U7|ada>, see example.org' },
    });
    expect(parse('issue assign #12 <@U7|Ada L> grace, @linus me')).toMatchObject({
      command: assign,
      args: { people: [{ slack: 'U7', name: 'Ada L' }, { login: 'grace' }, { login: 'linus' }, { me: true }] },
    });
  });

  it('takes flags anywhere, with a space, an equals sign or the dash a keyboard made of them', () => {
    expect(parse('run list --status=failure acme/engine')).toMatchObject({
      command: runs,
      args: { status: 'failure', repository: { owner: 'acme', repo: 'engine' } },
    });
    expect(parse('run list acme/engine —status queued —older-than 2d')).toMatchObject({
      args: { status: 'queued', olderThan: '2d' },
    });
    expect(parse('issue create Crash --no-draft')).toMatchObject({ args: { draft: false, title: 'Crash' } });
    expect(parse('issue create Crash --draft now')).toMatchObject({ args: { draft: true, title: 'Crash now' } });
  });

  it('has --dry-run and --help on all', () => {
    expect(parse('--dry-run close #12')).toMatchObject({ command: close, dryRun: true });
    expect(parse('close #12 —dry-run')).toMatchObject({ command: close, dryRun: true });
    for (const dash of ['--', '—', '–']) {
      expect(parse(`issue close ${dash}help`)).toEqual({ kind: 'help', command: close });
      expect(parse(`issue ${dash}help`)).toMatchObject({ kind: 'help', group: { noun: 'issue' } });
    }
  });

  it('ends flags at --, so that text may contain them', () => {
    expect(parse('issue comment #12 -- use --force')).toMatchObject({ args: { body: 'use --force' } });
    expect(parse('issue comment #12 "use --force"')).toMatchObject({ args: { body: 'use --force' } });
    expect(parse('issue comment #12 use \\--force')).toMatchObject({ args: { body: 'use --force' } });
    expect(parse('issue comment #12 slow — but safe')).toMatchObject({ args: { body: 'slow — but safe' } });
  });

  it('takes everything after the first word of a comment as text, flags included', () => {
    expect(parse('issue comment #12 never use --force or --body here')).toMatchObject({
      args: { body: 'never use --force or --body here' },
      dryRun: false,
    });
    expect(parse('issue comment #12 run it with --dry-run first, then --help')).toMatchObject({
      args: { body: 'run it with --dry-run first, then --help' },
      dryRun: false,
    });
    expect(parse('issue comment --dry-run #12 Seen')).toMatchObject({ args: { body: 'Seen' }, dryRun: true });
    expect(parse('issue comment #12 Seen here --dry-run')).toMatchObject({ args: { body: 'Seen here' }, dryRun: true });
    expect(refused('issue comment --force #12 Seen').message).toMatch(/Unknown option --force/);
  });

  it('takes an unknown flag inside a title as text, unless it is a near miss', () => {
    expect(parse('issue create acme/engine Support --force-with-lease --labels bug')).toMatchObject({
      args: { title: 'Support --force-with-lease', labels: ['bug'] },
    });
    expect(refused('issue create acme/engine Leak --lables bug').message).toMatch(/Did you mean --labels/);
    expect(refused('issue create acme/engine --urgent Leak').message).toMatch(/Unknown option --urgent/);
  });

  it('reads a reference written in two words', () => {
    const item = { owner: 'acme', repo: 'web', index: 6 };
    expect(parse('close acme/web #6')).toMatchObject({ args: { issue: item } });
    expect(parse('issue comment acme/web #6 Seen')).toMatchObject({ args: { issue: item, body: 'Seen' } });
    expect(parse('issue create acme/web #6 is back')).toMatchObject({ args: { title: '#6 is back' } });
  });

  it('never takes a secret from the line', () => {
    expect(refused('signin --token abc123').message).toMatch(/Do not type the token/);
    expect(refused('signin --token abc123').message).not.toContain('abc123');
    expect(parse('signin ada')).toMatchObject({ command: signin, args: { login: 'ada' }, missing: ['token'] });
  });
});

describe('a word that does not parse', () => {
  it('is answered with usage and an example, and names the field', () => {
    const error = refused('issue close twelve');
    expect(error.field).toBe('issue');
    expect(error.message).toContain('“twelve” is not an issue. Write owner/repo#12, #12 or its web address.');
    expect(error.message).toContain('Example: `/forge issue close acme/engine#12`');
  });

  it('suggests the intended flag', () => {
    expect(refused('issue create Crash --lables bug').message).toContain('Did you mean --labels?');
    expect(refused('run list --status').message).toContain('--status needs a value: `queued`, `failure`, `success`.');
    expect(refused('run list --status queued --status failure').message).toContain('given twice');
    expect(refused('run list acme/engine too many').message).toContain('This command does not take “too many”.');
  });
});

describe('unknown words', () => {
  it('bring the nearest commands', () => {
    expect(parse('issue clse #12')).toEqual({ kind: 'unknown', words: 'issue clse #12', nearest: expect.anything() });
    expect(parse('issue clse #12')).toHaveProperty('nearest.0', 'issue close');
    expect(parse('help --dry-run')).toEqual({ kind: 'help' });
    expect(parse('signn')).toHaveProperty('nearest.0', 'signin');
    expect(parse('closee #12')).toHaveProperty('nearest.0', 'close');
    expect(parse('xyzzyxyzzy')).toMatchObject({ kind: 'unknown', nearest: [] });
  });

  it('a lone noun and nothing at all show help', () => {
    expect(parse('')).toEqual({ kind: 'help' });
    expect(parse('help')).toEqual({ kind: 'help' });
    expect(parse('issue')).toMatchObject({ kind: 'help', group: { noun: 'issue' } });
    expect(parse('help issue close')).toEqual({ kind: 'help', command: close });
    expect(parse('issue help')).toMatchObject({ kind: 'help', group: { noun: 'issue' } });
  });
});

describe('any text', () => {
  it('is parsed or refused with a sentence', () => {
    const names = fc.constantFrom(
      'issue create ',
      'close ',
      'issue comment ',
      'run list ',
      'issue assign ',
      'signin ',
      '',
    );
    const parts = fc.constantFrom(
      '"',
      '--',
      '--labels',
      '—status',
      '#12',
      'a/b',
      '<@U1|x>',
      '\n',
      ' ',
      '=',
      'none',
      '&lt;',
    );
    const rest = fc.oneof(
      anyText(),
      fc.array(parts).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(names, rest, (name, text) => {
        try {
          expect(JSON.stringify(parse(name + text))).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
      tries(170),
    );
  });

  it('is shown again as a line that parses the same', () => {
    const slackEscape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    const repository = fc.constantFrom({}, { owner: 'acme', repo: 'engine' });
    const line = fc
      .string({ minLength: 1, maxLength: 60 })
      .map((text) => text.trim())
      // Text that looks like a Slack mention is read as one.
      .filter((text) => text !== '' && !/<[@#][A-Z0-9]/.test(text));
    const label = line.map((text) => text.slice(0, 40).trim()).filter((text) => !/<[@#]/.test(text));
    const args = fc.record(
      {
        repository,
        title: line,
        body: line,
        labels: fc.uniqueArray(label, { minLength: 1, maxLength: 3 }),
        due: fc.constant('2026-12-01'),
        draft: fc.boolean(),
      },
      { requiredKeys: ['repository', 'title'] },
    );
    fc.assert(
      fc.property(args, (given) => {
        expect(parse(slackEscape(commandLine(create, given)))).toMatchObject({ command: create, args: given });
      }),
      tries(170),
    );
  });
});

describe('a long text', () => {
  const all = createCatalog(commands);
  const read = (line: string) => {
    try {
      parseCommand(line, all, reading);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  };
  /** Elements and letters that the language's own functions go through; the same on every machine. */
  const stepsOf = (line: string) => {
    let steps = 0;
    const count = (on: object, name: string, size: (self: { length: number }, result: unknown) => number) => {
      const original: unknown = Reflect.get(on, name);
      if (typeof original !== 'function') throw new Error(`no ${name}`);
      Reflect.set(on, name, function counted(this: { length: number }, ...given: unknown[]) {
        const result: unknown = Reflect.apply(original, this, given);
        steps += 1 + size(this, result);
        return result;
      });
      return () => Reflect.set(on, name, original);
    };
    const own = (self: { length: number }) => self.length;
    const cut = (_: unknown, result: unknown) => (result as { length: number }).length;
    const restore = [
      ...['map', 'filter', 'join', 'find', 'findIndex'].map((name) => count(Array.prototype, name, own)),
      ...['replace', 'trim', 'toLowerCase', 'matchAll'].map((name) => count(String.prototype, name, own)),
      count(Array.prototype, 'slice', cut),
      count(String.prototype, 'slice', cut),
      count(RegExp.prototype, 'exec', () => 0),
    ];
    try {
      read(line);
    } finally {
      for (const undo of restore) undo();
    }
    return steps;
  };

  it('takes time in proportion to its length, whatever it consists of', () => {
    const pieces = [
      'word ',
      '—a , ',
      'a, ',
      '—zz ',
      '--zz ',
      '"x" ',
      "'x ",
      '<@U1>, ',
      '#1 ',
      'x/y, ',
      '/',
      '<',
      '&amp;',
    ];
    const more = [
      '--dry-run ',
      '--input a=b ',
      '--labels a ',
      '\\,',
      'a.',
      '1',
      ' ',
      '\n',
      '=“',
      'a=b,',
      '<https://a.b/c|c> ',
    ];
    const names = fc.constantFrom(...commands.map(({ name }) => name));
    const starts = fc.constantFrom('', '#1 ', 'acme/engine ', 'acme/engine#1 ', 'a, ');
    fc.assert(
      fc.property(names, starts, fc.constantFrom(...pieces, ...more), (name, start, piece) => {
        const line = (letters: number) => `${name} ${start}${piece.repeat(letters / piece.length)}`;
        // eight times as long: 8 if linear, 64 if quadratic
        expect(stepsOf(line(36_000)) / stepsOf(line(4_500))).toBeLessThan(10);
      }),
      {
        ...tries(7),
        examples: [
          ['pr edit', '#1 ', 'word '],
          ['issue create', '', 'word '],
          ['issue assign', '#1 ', '—a , '],
          ['issue label', '', '—a , '],
        ],
      },
    );
  });
});
