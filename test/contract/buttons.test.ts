import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formButton, runButton } from '../../src/chat/actions.js';
import type { AnyCommand } from '../../src/chat/command.js';
import { fieldsOf } from '../../src/chat/usage.js';
import { commands } from '../../src/features/index.js';
import { wrongButtons } from '../support/buttons.js';

const path = 'src/chat/command-args.ts';
const head = `/** Which arguments a button may pass to which command; generated from the catalog by test/contract/buttons.test.ts. */
export interface CommandArgs {`;

/** Secrets belong in a form, and so does all of a sign-in. */
const carried = (command: AnyCommand): string[] =>
  fieldsOf(command).flatMap(([name, field]) => (field.secret || command.form?.opens === 'only' ? [] : [name]));

const union = (names: readonly string[]) => names.map((name) => `'${name}'`).join(' | ') || 'never';
const rows = [...commands]
  .sort((a, b) => (a.name < b.name ? -1 : 1))
  .map((command) => `  readonly '${command.name}': ${union(carried(command))};`);
const expected = [head, ...rows, '}', ''].join('\n');
const plain = (text: string) => text.replace(/[\s']|^\s*\||:\s*\|/g, (found) => (found.startsWith(':') ? ':' : ''));

const drawn = (c: string, a: object) => [
  { type: 'actions', elements: [{ type: 'button', action_id: 'run~2', value: JSON.stringify({ c, a }) }] },
];
const issue = { owner: 'acme', repo: 'engine', repoId: 1, index: 2 };
const { repoId: _, ...unbound } = issue;

describe('buttons', () => {
  it.each([
    ['issue close', { issue }, []],
    [
      'issue clsoe',
      { issue },
      ['no command: {"c":"issue clsoe","a":{"issue":{"owner":"acme","repo":"engine","repoId":1,"index":2}}}'],
    ],
    ['issue close', { isue: issue }, ['issue close takes no isue from a button']],
    [
      'issue close',
      { issue: unbound },
      [
        'issue close holds no id of its repository: {"c":"issue close","a":{"issue":{"owner":"acme","repo":"engine","index":2}}}',
      ],
    ],
    ['issue show', { issue: unbound }, []],
    ['issue close', { issue: 'two' }, ['issue close: issue cannot be "two"']],
    ['signin', { token: 'x' }, ['signin takes no token from a button']],
  ])('drawn in any test are checked: %s %j', (command, args, wrong) => {
    expect(wrongButtons({ blocks: drawn(command, args) })).toEqual(wrong);
    expect(wrongButtons({ view: JSON.stringify({ blocks: drawn(command, args) }) })).toEqual(wrong);
  });

  it('do not compile with an unknown command or argument', () => {
    const text = 'Close';
    // @ts-expect-error no such command
    runButton({ text, command: 'issue clsoe', args: { issue } });
    // @ts-expect-error no such argument
    runButton({ text, command: 'issue close', args: { isue: issue } });
    // @ts-expect-error a secret
    formButton({ text, command: 'repo migrate', args: { token: 'x' } });
    // @ts-expect-error nothing is brought to a sign-in
    formButton({ text, command: 'signin', args: { login: 'ada' } });
    expect(runButton({ text, command: 'issue close', args: { issue } }).value).toContain('issue close');
  });

  it('know the catalog’s commands and arguments at compile time', () => {
    if (process.env['UPDATE_DOCS']) writeFileSync(path, expected);
    expect(plain(readFileSync(path, 'utf8'))).toBe(plain(expected));
  });
});
