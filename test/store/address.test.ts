import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { readAddress } from '../../src/store/address.js';

describe('REDIS_URL', () => {
  it('names one server', () => {
    expect(readAddress('redis://localhost')).toEqual({
      kind: 'single',
      tls: false,
      nodes: [{ host: 'localhost', port: 6379 }],
      db: 0,
    });
    expect(readAddress('rediss://ada:p%40ss@cache.example:6390/2')).toEqual({
      kind: 'single',
      tls: true,
      username: 'ada',
      password: 'p@ss',
      nodes: [{ host: 'cache.example', port: 6390 }],
      db: 2,
    });
  });

  it('names a cluster by some of its nodes', () => {
    expect(readAddress('redis+cluster://:secret@a:7000,[::1]:7001')).toEqual({
      kind: 'cluster',
      tls: false,
      password: 'secret',
      nodes: [
        { host: 'a', port: 7000 },
        { host: '::1', port: 7001 },
      ],
    });
  });

  it('names a master behind sentinels', () => {
    expect(readAddress('redis+sentinel://a,b:26380/main/1')).toEqual({
      kind: 'sentinel',
      tls: false,
      nodes: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 26380 },
      ],
      master: 'main',
      db: 1,
    });
  });

  it.each([
    'http://:sesame@localhost',
    'redis://:sesame@a,b',
    'redis+sentinel://:sesame@a',
    'redis+cluster://:sesame@a/3',
    'redis://:sesame@a/db',
    'sesame',
  ])('refuses %s, says what to write, and does not repeat a password', (text) => {
    expect(() => readAddress(text)).toThrow(ConfigError);
    expect(() => readAddress(text)).toThrow(/redis:\/\/host:6379/);
    expect(() => readAddress(text)).not.toThrow(/sesame/);
  });
});
