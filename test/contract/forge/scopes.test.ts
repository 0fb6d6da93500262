import { missingScope } from '@bellows/sandbox/forge/http/scopes.js';
import { expect, describe as group, it } from 'vitest';
import { wantedScopes } from '../../../src/chat/scopes.js';
import { commands } from '../../../src/features/index.js';
import { describe, lackedScopes, operationNames, scopesOf } from '../../../src/forge/index.js';

/** The scopes the stand-in requires; decided by the path alone, as by the forge's router. */
function asked(method: string, path: string): readonly string[] {
  const complaint = missingScope([], method, path.replaceAll(/[{}]/g, ''), false) ?? '';
  return /\[(.*)\]/.exec(complaint)?.[1]?.split(' ') ?? [];
}

it.each(operationNames)('%s names the scopes that the forge asks for', (name) => {
  const [method = '', path = ''] = describe(name).route.split(' ');
  expect(scopesOf(name)).toEqual(asked(method, path));
});

group('the scopes that sign-in asks for', () => {
  const main = (role: string) => commands.filter((each) => each.role !== 'admin' || role === 'admin');

  it.each(['everyone', 'maintainer', 'admin'] as const)('let %s run each of their commands', (role) => {
    const reach = { scopes: wantedScopes(role), closed: [] };
    const closed = main(role).filter(
      ({ operations: [first] }) => first && lackedScopes(scopesOf(first), reach).length > 0,
    );
    expect(closed.map(({ name }) => name)).toEqual([]);
  });

  it.each(['everyone', 'admin'] as const)('hold nothing that no command of %s needs', (role) => {
    const needed = new Set(main(role).flatMap(({ operations }) => operations.flatMap(scopesOf)));
    expect(wantedScopes(role).filter((scope) => !needed.has(scope))).toEqual([]);
  });
});
