import { expect, it } from 'vitest';
import { describe as operation, operationNames } from '../../src/forge/index.js';
import { lines } from './command-lines.js';
import { walkOn } from './walk.js';

const documented = operationNames.filter((name) => operation(name).beyond !== true);

it('has a line for each of the 42', () => {
  expect(Object.keys(lines).sort()).toEqual([...documented].sort());
  expect(documented).toHaveLength(42);
});

walkOn('gitea-1.28');
walkOn('gitea-1.26');
walkOn('document');
