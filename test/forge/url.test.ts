import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { normalizeForgeUrl } from '../../src/forge/url.js';

describe('the forge address', () => {
  it.each([
    ['https://git.example.org', 'https://git.example.org'],
    ['https://git.example.org/', 'https://git.example.org'],
    ['  https://git.example.org/api/v1/ ', 'https://git.example.org'],
    ['http://10.0.0.7:3000/api/v1', 'http://10.0.0.7:3000'],
    ['https://example.org/git', 'https://example.org/git'],
    ['https://example.org/git//', 'https://example.org/git'],
    ['https://example.org/git/api/v1', 'https://example.org/git'],
    ['HTTPS://Example.org:443/Git/', 'https://example.org/Git'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('accepts %s as shown in the browser', (given, root) => {
    expect(normalizeForgeUrl(given)).toBe(root);
  });

  it.each([
    ['', /empty/],
    ['git.example.org', /http:\/\/ or https:\/\//],
    ['ftp://git.example.org', /http:\/\/ or https:\/\//],
    ['ssh://git@example.org', /http:\/\/ or https:\/\//],
    ['https://', /not a web address/],
    ['https://ada:secret@git.example.org', /FORGE_TOKEN/],
    ['https://git.example.org/?tab=1', /before "\?" and "#"/],
    ['https://git.example.org/#top', /before "\?" and "#"/],
    ['https://git.example.org/api/v1/repos', /too long/],
    ['https://git.example.org//git', /too long/],
  ])('refuses %j and says what to write', (given, words) => {
    expect(() => normalizeForgeUrl(given)).toThrow(UserError);
    expect(() => normalizeForgeUrl(given)).toThrow(words);
  });

  it('repeats no password', () => {
    expect(() => normalizeForgeUrl('https://ada:hunter2@git.example.org')).not.toThrow(/hunter2/);
  });
});
