import { describe, expect, it } from 'vitest';
import { exposure } from '../../src/feed/exposure.js';
import { quietUntil } from '../../src/feed/quiet.js';

const refusing = { privateToPublic: 'refuse', externallyShared: 'refuse' } as const;
const open = { hidden: false };
const secret = { hidden: true };
const audience = (kind: 'public' | 'private', shared = false) => ({ kind, shared });

describe('exposure', () => {
  it('refuses a private repository in a public channel', () => {
    expect(exposure(secret, audience('public'), refusing)).toMatchObject({
      allowed: false,
      reason: 'hidden-in-public',
    });
    expect(exposure(secret, audience('private'), refusing)).toEqual({ allowed: true });
    expect(exposure(open, audience('public'), refusing)).toEqual({ allowed: true });
  });

  it('refuses any repository in a channel shared with another organization', () => {
    expect(exposure(open, audience('private', true), refusing)).toMatchObject({ allowed: false, reason: 'shared' });
  });

  it('refuses if Slack does not say what the channel is', () => {
    expect(exposure(open, undefined, refusing)).toMatchObject({ allowed: false, reason: 'unknown-channel' });
  });

  it('follows the policy, and says what to do', () => {
    expect(exposure(secret, audience('public'), { ...refusing, privateToPublic: 'allow' })).toEqual({ allowed: true });
    const sharing = { ...refusing, externallyShared: 'allow' } as const;
    expect(exposure(open, audience('private', true), sharing)).toEqual({ allowed: true });
    // strangers can read it: that it is called private here changes nothing
    expect(exposure(secret, audience('private', true), sharing)).toMatchObject({ reason: 'hidden-in-public' });
    expect(exposure(secret, audience('private', true), { ...sharing, privateToPublic: 'allow' })).toEqual({
      allowed: true,
    });
    expect(exposure(secret, audience('public'), refusing)).toMatchObject({
      words: expect.stringContaining('Use a private channel'),
    });
  });
});

describe('quiet hours', () => {
  const night = { from: '22:00', to: '07:30' };
  const at = (time: string) => Date.parse(`2026-11-10T${time}:00Z`);
  const ends = (time: string, offset = 0) => {
    const until = quietUntil(at(time), night, offset);
    return until === undefined ? undefined : new Date(until).toISOString();
  };

  it('span midnight and end in the morning', () => {
    expect(ends('23:15')).toBe('2026-11-11T07:30:00.000Z');
    expect(ends('06:00')).toBe('2026-11-10T07:30:00.000Z');
    expect(ends('07:30')).toBeUndefined();
    expect(ends('12:00')).toBeUndefined();
  });

  it('are in the person’s local time', () => {
    expect(ends('21:30', 60)).toBe('2026-11-11T06:30:00.000Z');
    expect(ends('02:00', -480)).toBeUndefined();
  });

  it('never apply if there are none', () => {
    expect(quietUntil(at('03:00'), null, 0)).toBeUndefined();
    expect(quietUntil(at('03:00'), { from: '08:00', to: '08:00' }, 0)).toBeUndefined();
  });
});
