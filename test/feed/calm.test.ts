import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exposure } from '../../src/feed/exposure.js';
import { quietUntil } from '../../src/feed/quiet.js';
import { tries } from '../support/properties.js';

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

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();
/** The minute of the day on a clock there. */
function shown(zone: string, at: number): number {
  const made = { timeZone: zone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', made);
  formats.set(zone, format);
  const [hours, minutes] = format.format(at).split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}
const written = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
/** Minutes from one time of day to the next such one. */
const since = (from: number, to: number) => (to - from + 1_440) % 1_440;

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

  it.each([
    ['a night in which clocks go forward', 'Europe/Berlin', '2026-03-28T22:00Z', '2026-03-29T05:30Z'],
    ['a night in which they go back', 'Europe/Berlin', '2026-10-24T21:00Z', '2026-10-25T06:30Z'],
    ['the other hemisphere', 'Australia/Sydney', '2026-10-03T13:00Z', '2026-10-03T20:30Z'],
    ['a change of half an hour', 'Australia/Lord_Howe', '2026-10-03T13:00Z', '2026-10-03T20:30Z'],
    ['a midnight that is skipped', 'Africa/Cairo', '2026-04-23T21:30Z', '2026-04-24T04:30Z'],
  ])('end at the time on the clock after %s', (_, zone, now, end) => {
    expect(quietUntil(Date.parse(now), night, zone)).toBe(Date.parse(end));
    expect(quietUntil(Date.parse(end), night, zone)).toBeUndefined();
    expect(quietUntil(Date.parse(end) - 60_000, night, zone)).toBe(Date.parse(end));
  });

  it('end when their end is skipped, and once if the clock shows it twice', () => {
    const quiet = { from: '22:00', to: '02:30' };
    const zone = 'Europe/Berlin';
    expect(quietUntil(Date.parse('2026-03-28T23:00Z'), quiet, zone)).toBe(Date.parse('2026-03-29T01:00Z'));
    expect(quietUntil(Date.parse('2026-10-24T23:00Z'), quiet, zone)).toBe(Date.parse('2026-10-25T00:30Z'));
    expect(quietUntil(Date.parse('2026-10-25T01:10Z'), quiet, zone)).toBeUndefined();
    // all of it is skipped
    const skipped = { from: '02:00', to: '03:00' };
    for (const at of ['00:59', '01:00', '01:01'])
      expect(quietUntil(Date.parse(`2026-03-29T${at}Z`), skipped, zone), at).toBeUndefined();
  });

  const steps = Array.from({ length: 7 * 365 }, (_, day) => Date.UTC(2024, 0, 1 + day));
  /** Days in which clocks change there. */
  const changes = (zone: string) => steps.filter((at) => shown(zone, at) !== shown(zone, at + dayMs));
  const changing = ['Europe/Berlin', 'America/New_York', 'America/Havana', 'America/Nuuk', 'America/Santiago'].concat([
    'Australia/Sydney',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Africa/Casablanca',
    'Asia/Beirut',
    'Antarctica/Troll',
  ]);
  const around = changing.flatMap((zone) => changes(zone).map((at) => ({ zone, at })));
  const anywhere = fc.record({
    zone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
    at: fc.constantFrom(...steps),
  });
  const time = fc.integer({ min: 0, max: 1_439 });

  it.each([
    ['on any day', anywhere],
    ['around a change of the clocks', fc.constantFrom(...around)],
  ])('last until the clock shows their end, in every zone, %s', (_, days) => {
    fc.assert(
      fc.property(time, time, days, time, (from, to, { zone, at: day }, minute) => {
        fc.pre(from !== to);
        const at = day + minute * 60_000;
        const quiet = { from: written(from), to: written(to) };
        const clock = shown(zone, at);
        const until = quietUntil(at, quiet, zone);
        const steady = [-dayMs, dayMs].every((ms) => shown(zone, at + ms) === clock);
        if (steady) expect(until !== undefined).toBe(since(from, clock) < since(from, to));
        if (until === undefined) return;
        expect(until).toBeGreaterThan(at);
        expect(until - at).toBeLessThanOrEqual(dayMs + 2 * 3_600_000);
        expect(quietUntil(until - 1, quiet, zone)).toBe(until);
        expect(quietUntil(until, quiet, zone)).toBeUndefined();
        // on the clock, or skipped by it in this minute
        const before = shown(zone, until - 60_000);
        expect(since(before, to)).toBeGreaterThan(0);
        expect(since(before, to)).toBeLessThanOrEqual(since(before, shown(zone, until)));
      }),
      tries(330),
    );
  });

  it('never apply if there are none', () => {
    expect(quietUntil(at('03:00'), null, 0)).toBeUndefined();
    expect(quietUntil(at('03:00'), { from: '08:00', to: '08:00' }, 0)).toBeUndefined();
  });
});
