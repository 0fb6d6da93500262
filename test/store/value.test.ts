import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { versionedCodec } from '../../src/store/ground.js';

const schema = z.object({ names: z.array(z.string()) });

describe('versioned', () => {
  it('keeps the version inside the value', () => {
    expect(versionedCodec(schema).encode({ names: ['ada'] })).toBe('{"v":1,"names":["ada"]}');
  });

  it('upgrades an older value when it is read', () => {
    const second = versionedCodec(schema, [({ name }) => ({ names: [name] })]);
    expect(second.decode('{"v":1,"name":"ada"}')).toEqual({ names: ['ada'] });
    expect(second.decode('{"v":2,"names":[]}')).toEqual({ names: [] });
  });

  it('refuses a value of a newer Bellows', () => {
    expect(() => versionedCodec(schema).decode('{"v":2,"names":[]}')).toThrow(/Upgrade/);
  });

  it('refuses an invalid value', () => {
    expect(() => versionedCodec(schema).decode('{"v":1,"names":3}')).toThrow();
    expect(() => versionedCodec(schema).decode('{"names":[]}')).toThrow();
  });
});
