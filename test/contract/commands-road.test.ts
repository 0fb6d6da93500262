import { expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commands } from '../../src/features/index.js';
import { describe as operation, operationNames } from '../../src/forge/index.js';
import { onServers } from '../support/servers.js';
import { beyond, lines } from './command-lines.js';
import { deskLines, otherLines, untyped, unwalked } from './field-lines.js';
import { walkOn } from './walk.js';

const documented = operationNames.filter((name) => operation(name).beyond !== true);

it('has a line for each of the 42', () => {
  expect(Object.keys(lines).sort()).toEqual([...documented].sort());
  expect(documented).toHaveLength(42);
});

it('types each command and each of its fields, or says why not', () => {
  const catalog = createCatalog(commands);
  const typed = new Set<string>();
  for (const line of [...Object.values({ ...lines, ...beyond }), ...deskLines, ...otherLines]) {
    const filled = line.replaceAll(/\{(\w+)\}/g, (_all, name) =>
      ['fork', 'queued', 'stuck'].includes(name) ? 'acme/engine#5' : '5',
    );
    const parsed = parseCommand(filled, catalog, {
      now: new Date(),
      webUrl: 'https://forge.example.org',
      slash: '/forge',
    });
    if (parsed.kind !== 'command') throw new Error(`${line} is no command`);
    typed.add(parsed.command.name);
    for (const name of Object.keys(parsed.args)) typed.add(`${parsed.command.name} ${name}`);
  }
  // fields without a label are only set by buttons, and secrets only by a form
  const wanted = commands.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, { label, secret }]) =>
      label === '' || secret ? [] : [`${name} ${field}`],
    ),
  );
  expect(wanted.filter((each) => !typed.has(each)).sort()).toEqual(Object.keys(untyped).sort());
  const names = commands.map(({ name }) => name);
  expect(names.filter((each) => !typed.has(each)).sort()).toEqual(Object.keys(unwalked).sort());
});

onServers(['gitea-1.28', 'gitea-1.26', 'document'], ['gitea-1.28']).forEach(walkOn);
