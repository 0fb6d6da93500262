import { describe, expect, it } from 'vitest';
import { compile } from '../../src/forge/compile.js';
import { requestLine as lineOf } from '../../src/forge/engine.js';
import type { OperationName } from '../../src/forge/index.js';
import { operations } from '../../src/forge/operations/index.js';

const known = compile(operations);

function requestLine(name: OperationName, input: Record<string, unknown>) {
  const operation = known.get(name);
  if (!operation) throw new Error(name);
  return lineOf(operation, input, { route: operation.route, product: 'Gitea', lists: () => undefined });
}

describe('a path', () => {
  it('is filled with encoded values', () => {
    const line = requestLine('packages.get', { owner: 'ada', type: 'npm', name: '@ada/engine', version: '1.0 β' });
    expect(line).toMatchObject({ method: 'GET', path: '/packages/ada/npm/%40ada%2Fengine/1.0%20%CE%B2' });
  });

  it.each(['', '.', '..', '\ud800'])('refuses %j as a name', (owner) => {
    expect(() => requestLine('repos.get', { owner, repo: 'engine' })).toThrow(/Nothing was sent. Check owner/);
  });

  it.each([-1, 1.5, 2 ** 53, Number.NaN, '7'])('refuses %j as a number', (index) => {
    expect(() => requestLine('issues.get', { owner: 'ada', repo: 'engine', index })).toThrow(
      /index: write a whole number/,
    );
  });

  it('refuses a missing value by its name', () => {
    expect(() => requestLine('repos.get', { owner: 'ada' })).toThrow(/repo: must not be empty/);
  });
});

describe('a request line', () => {
  it('shows what would be sent', () => {
    const input = { owner: 'ada', repo: 'engine', index: 12, body: { state: 'closed' } };
    expect(requestLine('issues.edit', input)).toEqual({
      method: 'PATCH',
      path: '/repos/ada/engine/issues/12',
      query: {},
      body: { state: 'closed' },
    });
  });

  it('masks secret fields and users in addresses', () => {
    const body = {
      clone_addr: 'https://old.example.org/x.git',
      repo_name: 'x',
      description: 'was https://ada:hunter2@old.example.org/x',
      auth_token: 'tok-secret',
    };
    const shown = JSON.stringify(requestLine('repos.migrate', { body }));
    expect(shown).toContain('•••@old.example.org');
    expect(shown).not.toMatch(/hunter2|tok-secret/);
  });

  it('masks a secret inside an object', () => {
    const config = { url: 'https://bot.example.org', content_type: 'json', secret: 'shh-shh-shh' };
    const line = requestLine('admin.createHook', {
      body: { type: 'gitea', config, authorization_header: 'Bearer abc' },
    });
    expect(line.body).toMatchObject({ config: { secret: '•••' }, authorization_header: '•••' });
    expect(line.body).toHaveProperty('config.url', expect.stringMatching(/^https?:\/\/[^/]+\/•••$/));
  });

  it('names the invalid field, and never its value', () => {
    const body = { state: 'hunter2' };
    expect(() => requestLine('issues.edit', { owner: 'ada', repo: 'engine', index: 1, body })).toThrow(/body\.state/);
    expect(() => requestLine('issues.edit', { owner: 'ada', repo: 'engine', index: 1, body })).not.toThrow(/hunter2/);
  });
});
