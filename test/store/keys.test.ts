import { describe, expect, it } from 'vitest';
import { catalog, createKeys } from '../../src/store/keys.js';
import { familyOf } from '../support/key-family.js';

const keys = createKeys('f0');
const everyPart = new Proxy({}, { get: (_, name) => `some-${String(name)}` });
const made = Object.entries(keys).map(([name, make]) => ({ name, key: Reflect.apply(make, undefined, [everyPart]) }));

describe('keys', () => {
  it.each(made)('$name names Bellows and its forge, and is recognized', ({ name, key }) => {
    expect(key).toMatch(/^bellows:\{?(bellows:)?f0[:}]/);
    expect(familyOf(key)).toBe(name);
  });

  it.each(Object.entries(catalog))('%s says how long it lives', (_, { life }) => {
    expect(life).not.toBe('');
  });

  it('does not recognize a stray key', () => {
    expect(familyOf('bellows:f0:nonsense')).toBeUndefined();
    expect(familyOf('other')).toBeUndefined();
  });

  it('keeps a part from reaching into another', () => {
    expect(keys.pending({ team: 'T1}:x', user: 'a:b' })).toBe('bellows:{f0:T1%7D%3Ax}:pending:a%3Ab');
    expect(() => keys.pending({ team: 'T1', user: '' })).toThrow(/lacks its user/);
  });
});
