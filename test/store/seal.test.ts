import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { createSeal, SealError, same } from '../../src/store/seal.js';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const about = ['credential', 'f0', 'T1', 'U1'] as const;

describe('seal', () => {
  it('opens what it sealed, and reveals nothing of it', () => {
    const { seal, open } = createSeal(`a:${key(1)}`);
    const sealed = seal('hunter2 ✓', about);
    expect(sealed).not.toContain('hunter2');
    expect(open(sealed, about)).toBe('hunter2 ✓');
  });

  it('seals the same text differently each time', () => {
    const { seal } = createSeal(`a:${key(1)}`);
    expect(seal('x', about)).not.toBe(seal('x', about));
  });

  it('refuses to open for another owner or purpose', () => {
    const { seal, open } = createSeal(`a:${key(1)}`);
    const sealed = seal('x', about);
    expect(() => open(sealed, ['credential', 'f0', 'T1', 'U2'])).toThrow(SealError);
    expect(() => open(sealed, ['pending', 'f0', 'T1', 'U1'])).toThrow(SealError);
  });

  it('refuses a text that was changed', () => {
    const { seal, open } = createSeal(`a:${key(1)}`);
    const sealed = seal('some longer text', about);
    // the last character may have unused bits
    const other = sealed.at(-4) === 'A' ? 'B' : 'A';
    expect(() => open(sealed.slice(0, -4) + other + sealed.slice(-3), about)).toThrow(SealError);
    expect(() => open('s1.a', about)).toThrow(SealError);
    expect(() => open('', about)).toThrow(SealError);
  });

  it('opens with any key, seals with the first, and reseals old texts with it', () => {
    const old = createSeal(`old:${key(1)}`);
    const both = createSeal(`new:${key(2)},old:${key(1)}`);
    const sealed = old.seal('x', about);
    const moved = both.reseal(sealed, about);
    expect(both.open(sealed, about)).toBe('x');
    expect(createSeal(`new:${key(2)}`).open(moved, about)).toBe('x');
    expect(both.reseal(moved, about)).toBe(moved);
  });

  it('refuses what is malformed', () => {
    const { seal, open, tryOpen } = createSeal(`a:${key(1)}`);
    const sealed = seal('', about);
    const [, , box = ''] = sealed.split('.');
    const problem = (text: string) => {
      try {
        open(text, about);
      } catch (error) {
        return error instanceof SealError ? error.kind : String(error);
      }
      return 'opened';
    };
    expect(problem(sealed)).toBe('opened');
    expect(problem(sealed.replace('s1', 's2'))).toBe('damaged');
    expect(problem(`${sealed}.more`)).toBe('damaged');
    expect(problem(`s1..${box}`)).toBe('damaged');
    expect(problem(`s1.b.${box}`)).toBe('unknown-key');
    // too short to contain anything, whichever key it names
    expect(problem('s1.b.AAAA')).toBe('damaged');
    expect(tryOpen(sealed, about)).toBe('');
    expect(tryOpen(`s1.b.${box}`, about)).toBeUndefined();
    // something other than text is our own mistake, not a forgery
    expect(() => tryOpen(JSON.parse('7'), about)).toThrow(TypeError);
  });

  it('says whether it opens', () => {
    const { seal, opens } = createSeal(`a:${key(1)}`);
    expect(opens(seal('', about), about)).toBe(true);
    expect(createSeal(`a:${key(2)}`).opens(seal('', about), about)).toBe(false);
  });

  it('seals with the first key, and opens with all', () => {
    const seal = createSeal(`new:${key(2)},old:${key(1)}`);
    expect([seal.keyId, seal.keyCount]).toEqual(['new', 2]);
    expect(createSeal(`new:${key(2)}`).open(seal.seal('x', about), about)).toBe('x');
    expect(seal.open(createSeal(`old:${key(1)}`).seal('x', about), about)).toBe('x');
  });

  it('names the key that is missing', () => {
    const sealed = createSeal(`old:${key(1)}`).seal('x', about);
    expect(() => createSeal(`new:${key(2)}`).open(sealed, about)).toThrow(/"old", which is not in BELLOWS_KEYS/);
  });

  it('checks a keyed hash, including one by an older key', () => {
    const mac = createSeal(`old:${key(1)}`).mac('text', ['audit', 'f0']);
    const both = createSeal(`new:${key(2)},old:${key(1)}`);
    expect(both.checkMac(mac, 'text', ['audit', 'f0'])).toBe(true);
    expect(both.checkMac(mac, 'other', ['audit', 'f0'])).toBe(false);
    expect(both.checkMac(mac, 'text', ['audit', 'f1'])).toBe(false);
    expect(createSeal(`new:${key(2)}`).checkMac(mac, 'text', ['audit', 'f0'])).toBe(false);
  });

  it.each([
    ['', /It is empty/],
    ['nonsense', /does not match this/],
    ['a:c2hvcnQ=', /"a" has 5 bytes/],
    [`a:${key(1)},a:${key(2)}`, /"a" appears twice/],
    [`x a:${key(1)}`, /does not match this/],
    [`a:${key(1)} x`, /does not match this/],
    [`a b:${key(1)}`, /does not match this/],
  ])('says what to write instead of %j', (text, words) => {
    expect(() => createSeal(text)).toThrow(ConfigError);
    expect(() => createSeal(text)).toThrow(words);
  });

  it('takes keys with spaces around them, and with or without padding', () => {
    const seal = createSeal(` a:${key(1)} , ,b:${key(2).replaceAll('=', '')},`);
    expect([seal.keyId, seal.keyCount]).toEqual(['a', 2]);
    expect(seal.open(createSeal(`b:${key(2)}`).seal('x', about), about)).toBe('x');
  });

  it('compares texts of any length', () => {
    expect(same('abc', 'abc')).toBe(true);
    expect(same('abc', 'abd')).toBe(false);
    expect(same('abc', 'abcd')).toBe(false);
  });
});
