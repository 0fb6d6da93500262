import { describe, expect, it } from 'vitest';
import { excerptOf, tellingLines } from '../../src/forge/log-excerpt.js';
import { growthOf } from '../support/properties.js';

const at = '2026-11-15T10:00:00.1234567Z ';
const log = (...lines: readonly string[]) => lines.map((line) => `${at}${line}\n`).join('');
const read = (text: string, most = 20, whole = true) => excerptOf(text, { most, whole });

describe('the excerpt of a log', () => {
  it('is the failing step, without what the runner writes before and after', () => {
    const text = log(
      '⭐ Run Main npm ci',
      'added 300 packages',
      '✅  Success - Main npm ci',
      '⭐ Run Main npm test',
      '\u001B[31mError:\u001B[0m expected 3, got 4',
      '  at gauge.ts:12',
      '❌  Failure - Main npm test',
      "exitcode '1': failure",
      '🏁  Job failed',
    );
    expect(read(text)).toEqual({
      step: 'npm test',
      lines: ['Error: expected 3, got 4', '  at gauge.ts:12'],
      more: false,
    });
  });

  it('keeps the last lines, and says that there are more', () => {
    const many = Array.from({ length: 50 }, (_, line) => `line ${line}`);
    const { lines, more } = read(log('⭐ Run Main make', ...many, '❌  Failure - Main make'), 3);
    expect(lines).toEqual(['line 47', 'line 48', 'line 49']);
    expect(more).toBe(true);
  });

  it('is the end of a log that names no step', () => {
    expect(read(log('one', 'two', '🏁  Job failed'), 1)).toEqual({ step: undefined, lines: ['two'], more: true });
  });

  it.each([
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', 'remote: ghp_0123456789abcdefghijABCDEFGHIJ012345 is invalid'],
    ['gto_abcdefghijklmnop234567', 'using gto_abcdefghijklmnop234567'],
    ['eyJhbGciOi.J9.x-y_z', 'Authorization: Bearer eyJhbGciOi.J9.x-y_z'],
    ['c2VjcmV0', '> authorization: basic c2VjcmV0'],
    ['AKIAIOSFODNN7EXAMPLE', 'key AKIAIOSFODNN7EXAMPLE was refused'],
    ['wJalrXUtnFEMI/K7MDENG', 'export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG'],
    ['hunter22', 'connect failed: host=db password=hunter22 user=app'],
    ['hunter 22', `PGPASSWORD='hunter 22' psql`],
    ['hunter22', '{"user":"app","password": "hunter22"}'],
    ['ter22', 'clone https://ada:hun@ter22@example.org/x.git'],
    ['ter22', 'retry with password=hun&ter22,3;x'],
    ['ter22', String.raw`{"password":"hun\"ter22"}`],
    ['hunter22', String.raw`sent {\"password\":\"hunter22\"}`],
    ['hunter22', '  db_password: hunter22'],
    ['hunter22', 'password = "hunter22"'],
    ['hunter22', '+ mysql --password hunter22 app'],
    ['hunter22', 'GPG_PASSPHRASE=hunter22'],
    ['hunter22', 'private-key=hunter22'],
    ['0123456789abcdef', '> PRIVATE-TOKEN: 0123456789abcdef'],
    ['0123456789abcdef', 'X-Api-Key: 0123456789abcdef'],
    ['ghp_0123456789abcdefghij', 'TOKEN_ghp_0123456789abcdefghij'],
    ['github_pat_11ABCDEFG0_abcdefghij', 'github_pat_11ABCDEFG0_abcdefghij'],
    ['glpat-abcdefghij0123456789', 'glpat-abcdefghij0123456789'],
    ['gldt-abcdefghij0123456789', 'docker login -p gldt-abcdefghij0123456789'],
    ['xoxb-123456789012-abcdefghijkl', 'xoxb-123456789012-abcdefghijkl'],
    ['T00000000/B00000000/XXXXXXXX', 'POST https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX'],
    ['eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN'],
    ['npm_abcdefghijklmnopqrstuvwxyz0123456789', 'npm_abcdefghijklmnopqrstuvwxyz0123456789'],
    ['pypi-AgEIcHlwaS5vcmcCJDabcdef', 'twine: pypi-AgEIcHlwaS5vcmcCJDabcdef'],
    ['sk_live_abcdefghijklmnopqrstuvwx', 'stripe: sk_live_abcdefghijklmnopqrstuvwx'],
    ['sk-proj-abcdefghijklmnopqrstuvwx', 'using sk-proj-abcdefghijklmnopqrstuvwx'],
    ['AIzaSyA1234567890abcdefghijklmnopqrstuv', 'key AIzaSyA1234567890abcdefghijklmnopqrstuv'],
    ['dckr_pat_abcdefghijklmnopqrst', 'dckr_pat_abcdefghijklmnopqrst'],
  ])('masks the secret %s, whoever printed it', (secret, line) => {
    const { lines } = read(log(line));
    expect(lines.join()).not.toContain(secret);
    expect(lines.join()).toContain('•••');
  });

  it('masks private keys, even if only their end is in the text', () => {
    const key = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'];
    const [begin, end] = ['-----BEGIN RSA PRIVATE KEY-----', '-----END RSA PRIVATE KEY-----'];
    expect(read(log('cat key', begin, ...key, end, 'failed')).lines).toEqual(['cat key', '•••', 'failed']);
    expect(read(log('half', ...key, end, 'failed'), 20, false).lines).toEqual(['•••', 'failed']);
    expect(read(log('cat key', begin, ...key)).lines).toEqual(['cat key', '•••']);
    const [halves, last] = [key.map((line) => `app | ${line}`), 'app | VJTUt9U='];
    expect(read(log('half', ...halves, last, `app | ${end}`, 'failed'), 20, false).lines).toEqual(['•••', 'failed']);
    expect(read(log('cat key', `${begin}\\n${key[0]}\\n${end}`, 'failed')).lines).toEqual(['cat key', '•••', 'failed']);
  });

  it('leaves ordinary lines as they are', () => {
    const ordinary = [
      'token expired: sign in again',
      'bearer of news',
      'wrong password',
      'see tokens.ts:12',
      'error: unexpected token: }',
      'if (token == null) refuse((token) => true)',
      'npm_config_registry is not set',
      'hint: see https://example.org?to=ada@example.org and task-sk-learn',
    ];
    expect(read(log(...ordinary), ordinary.length).lines).toEqual(ordinary);
  });

  it('drops the half line that a truncated text starts with', () => {
    expect(read(`f a line\n${log('whole')}`, 5, false)).toMatchObject({ lines: ['whole'], more: true });
  });

  it('hides what the job asked to hide, and users in addresses', () => {
    const { lines } = read(log('::add-mask::hunter22', 'push https://ada:pw@example.org/x hunter22'));
    expect(lines).toEqual(['push https://•••@example.org/x •••']);
  });

  it('removes colors, links and markers, and shortens lines', () => {
    const link = '\u001B]8;;https://evil.example\u0007here\u001B]8;;\u0007';
    const { lines } = read(
      log(`##[error]${link} \u001B[1;38;5;9mred\u001B[m`, '::error file=a.ts,line=3::broken', 'x'.repeat(999)),
    );
    expect(lines.slice(0, 2)).toEqual(['here red', 'broken']);
    expect(lines[2]).toHaveLength(300);
  });

  it.each(['\u001B[', '::error', '--', 'token', '- ', 'a.', 'eyJ-', 'eyJaaaaaaaa.', 'password="\\', '--secret '])(
    'takes time in proportion to a log of %j',
    (part) => {
      expect(growthOf((letters) => read(part.repeat(letters / part.length)), 4_000)).toBeLessThan(40);
    },
  );
});

it('picks the lines that name the problem, or else the last ones', () => {
  expect(tellingLines(['ok 1', 'Error: no', 'ok 2', '0 errors', 'failed at 3', 'bye'], 3)).toEqual([
    'Error: no',
    'failed at 3',
  ]);
  expect(tellingLines(['a', 'b', 'c'], 2)).toEqual(['b', 'c']);
});
