import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { viewIssues } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { drawForm } from '../../src/chat/form/draw.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { catalogJson } from '../../src/chat/tables.js';
import { commands } from '../../src/features/index.js';
import { describe as operation, operationNames } from '../../src/forge/index.js';
import { definitions } from './definitions.js';

const root = join(import.meta.dirname, '../../src/features');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const catalog = createCatalog(commands);
const reading = { now: new Date('2026-11-10T09:00:00Z'), webUrl: 'https://forge.example.org', slash: '/forge' };
const documented = operationNames.filter((name) => operation(name).beyond !== true);

describe('the list of commands', () => {
  it('has every command that has a file, each once', () => {
    const defined = definitions.filter(({ file }) => file !== 'index').flatMap(({ found }) => found);
    expect(commands.map(({ name }) => name).sort()).toEqual(defined.map(({ name }) => name).sort());
  });

  it('reaches each of the document’s 42 operations', () => {
    expect(documented).toHaveLength(42);
    const listed = new Set(catalogJson(catalog).flatMap(({ operations }) => operations));
    expect(documented.filter((name) => !listed.has(name))).toEqual([]);
  });
});

it.each(definitions.filter(({ found, file }) => found.length > 0 && file !== 'index'))(
  '$file is named after its command',
  ({ file, found }) => {
    const name = file.replace(/^.*[\\/]/, '');
    const fits = found.filter((command) => {
      const words = command.name.split(' ');
      return name === words.join('-') || name === words.slice(1).join('-');
    });
    // A command and its opposite are one thought.
    expect(fits).toHaveLength(1);
    expect(found.filter((command) => !fits.includes(command)).map(({ name }) => name)).toSatisfy(
      (others: string[]) => others.length < 2,
    );
  },
);

const verdicts = (name: string) => {
  const input = catalog.get(name)?.fields['verdict']?.input;
  return input?.kind === 'choice' ? input.choices.map(({ value }) => value) : [];
};

it('follows the rules of commands that exist', () => {
  const named = commands.flatMap(({ name, approval: { forPulls, ruledAs } = {}, opposite }) => [
    forPulls,
    ...(typeof ruledAs === 'function' ? verdicts(name).map((verdict) => ruledAs({ verdict })) : [ruledAs]),
    opposite,
  ]);
  const followed = named.filter((name) => name !== undefined);
  expect(followed).not.toEqual([]);
  expect(followed.filter((name) => catalog.get(name)?.name !== name)).toEqual([]);
});

it('names only commands that exist on its buttons', () => {
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bcommand: '([a-z][a-z -]*)'/g)].map(
      (found) => found[1] ?? '',
    ),
  );
  expect([...new Set(named)].filter((name) => catalog.get(name) === undefined)).toEqual([]);
});

describe.each(commands.map((command) => [command.name, command] as const))('%s', (_name, command) => {
  it('has examples that parse completely', () => {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      const parsed = parseCommand(example, catalog, reading);
      expect(parsed).toMatchObject({ kind: 'command', missing: [] });
      expect(parsed.kind === 'command' && parsed.command.name).toBe(command.name);
    }
  });

  it('draws a form within Slack’s limits, empty and filled', () => {
    const meta = { command: command.name };
    expect(viewIssues(JSON.parse(JSON.stringify(drawForm(command, { values: {}, meta }))))).toEqual([]);
    const parsed = parseCommand(command.examples.at(-1) ?? '', catalog, reading);
    const values = parsed.kind === 'command' ? parsed.args : {};
    expect(viewIssues(JSON.parse(JSON.stringify(drawForm(command, { values, meta }))))).toEqual([]);
  });

  it('declares its effect on the forge', () => {
    const writes = command.operations.filter((name) => operation(name).effect !== 'read');
    if (command.effect === 'read') expect(writes).toEqual([]);
    expect(command.risk === 'read').toBe(command.effect === 'read');
    expect(command.operations).toEqual([...new Set(command.operations)]);
    expect(command.operations).toEqual(expect.arrayContaining([...(command.needs ?? [])]));
    if (command.risk === 'risky') expect(command.approval?.observe).toBeDefined();
  });
});
