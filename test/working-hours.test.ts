import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterWorkingTime, isWorkingTime, missesToday, WorkingHours, workingTime } from '../src/working-hours.js';

const hour = 3_600_000;
const at = (text: string) => Date.parse(`${text}:00Z`);
const shown = (moment: number) => new Date(moment).toISOString().slice(0, 16);
const usual = WorkingHours.parse({});
const berlin = WorkingHours.parse({ zone: 'Europe/Berlin', holidays: ['2026-12-25'] });

describe('working hours', () => {
  it.each([
    ['within a day', usual, '2026-11-17T10:00', 4, '2026-11-17T14:00'],
    ['over a night', usual, '2026-11-17T15:30', 4, '2026-11-18T11:30'],
    ['over a weekend', usual, '2026-11-20T16:00', 4, '2026-11-23T12:00'],
    ['from a Sunday', usual, '2026-11-22T12:00', 4, '2026-11-23T13:00'],
    ['from the evening', usual, '2026-11-17T20:00', 1, '2026-11-18T10:00'],
    ['a whole day ends that day', usual, '2026-11-17T09:00', 8, '2026-11-17T17:00'],
    ['elsewhere', berlin, '2026-11-17T15:00', 2, '2026-11-18T09:00'],
    ['over a holiday and a weekend', berlin, '2026-12-24T15:30', 1, '2026-12-28T08:30'],
    ['over the end of summer time', berlin, '2026-10-23T14:30', 1, '2026-10-26T08:30'],
  ])('%s', (_, hours, since, amount, until) => {
    expect(shown(afterWorkingTime(hours, at(since), amount * hour))).toBe(until);
    expect(workingTime(hours, at(since), at(until))).toBe(amount * hour);
  });

  it('knows when nobody works', () => {
    expect(['2026-11-17T09:00', '2026-11-17T16:59'].map((time) => isWorkingTime(usual, at(time)))).toEqual([
      true,
      true,
    ]);
    const free = ['2026-11-17T08:59', '2026-11-17T17:00', '2026-11-22T12:00'];
    expect(free.map((time) => isWorkingTime(usual, at(time)))).toEqual([false, false, false]);
    expect(isWorkingTime(berlin, at('2026-12-25T10:00'))).toBe(false);
  });

  it.each([
    ['until after work there', '2026-11-17T02:00', '2026-11-17T10:00', true],
    ['until an hour before', '2026-11-17T02:00', '2026-11-17T07:00', false],
    ['with nothing left to miss', '2026-11-17T09:00', '2026-11-17T12:00', false],
    ['on a Sunday', '2026-11-22T02:00', '2026-11-22T10:00', false],
  ])('knows who is away for the rest of their own day: %s', (_, now, until, misses) => {
    expect(missesToday(usual, 'Asia/Tokyo', at(now), at(until))).toBe(misses);
  });

  it('adds and counts alike', () => {
    const start = at('2026-01-01T00:00');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500_000 }), fc.integer({ min: 1, max: 6_000 }), (minute, minutes) => {
        const since = start + minute * 60_000;
        const until = afterWorkingTime(berlin, since, minutes * 60_000);
        expect(workingTime(berlin, since, until)).toBe(minutes * 60_000);
        expect(isWorkingTime(berlin, until - 1)).toBe(true);
      }),
    );
  });

  it('ends where every day is a holiday', () => {
    const holidays = Array.from({ length: 366 }, (_, day) => new Date(at('2026-11-17T00:00') + day * 24 * hour));
    const never = WorkingHours.parse({ holidays: holidays.map((date) => date.toISOString().slice(0, 10)) });
    expect(workingTime(never, at('2026-11-17T10:00'), at('2026-11-20T10:00'))).toBe(0);
    expect(afterWorkingTime(never, at('2026-11-17T10:00'), hour)).toBeGreaterThan(at('2027-11-17T00:00'));
  });
});
