import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const importing = (what: RegExp) => files.filter((file) => what.test(readFileSync(join('src', file), 'utf8'))).sort();

it('loads the protocol when an agent connects, so that nobody else pays for it', () => {
  expect(importing(/from '@modelcontextprotocol/)).toEqual(['cli/mcp.ts', 'mcp/server.ts']);
  expect(importing(/^import .* from '.*(mcp|\.)\/server\.js'/m).filter((file) => file.startsWith('mcp/'))).toEqual([]);
  expect(importing(/import\('\.\/server\.js'\)/)).toEqual(['mcp/open.ts']);
  expect(importing(/from '\.\/mcp\.js'/).filter((file) => file.startsWith('cli/'))).toEqual([]);
});
