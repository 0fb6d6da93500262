import { describe, expect, it } from 'vitest';
import { frozenBy } from '../../src/chat/deploy/freeze.js';
import { readPolicyFile } from '../../src/config/file.js';

const deployment = (freeze: string) => {
  const text = `deployments:\n  p: { repository: a/b, workflow: d.yml, refs: [main], freeze: ${freeze} }\n`;
  const found = readPolicyFile(text, 'bellows.yaml').deployments['p'];
  if (!found) throw new Error('not read');
  return found;
};
const frozen = (freeze: string, at: string) => frozenBy('p', deployment(freeze), undefined, new Date(at)) !== undefined;

describe('a freeze window', () => {
  const weekend = '[{ days: [fri], from: "16:00", zone: Europe/Berlin }, { days: [sat, sun], zone: Europe/Berlin }]';

  it.each([
    ['2026-11-13T14:59:59Z', false],
    ['2026-11-13T15:00:00Z', true],
    ['2026-11-15T22:59:59Z', true],
    ['2026-11-15T23:00:00Z', false],
    // daylight saving time: the wall clock decides
    ['2026-07-10T13:59:59Z', false],
    ['2026-07-10T14:00:00Z', true],
  ])('follows the local wall clock: %s %s', (at, expected) => {
    expect(frozen(weekend, at)).toBe(expected);
  });

  const night = '[{ days: [sat], from: "22:00", to: "04:00", zone: Europe/Berlin }]';

  it.each([
    ['2026-10-24T19:59:00Z', false],
    ['2026-10-24T20:00:00Z', true],
    // clocks go back at 3:00 on the 25th: 2:30 occurs twice, 4:00 is at 3:00 UTC
    ['2026-10-25T00:30:00Z', true],
    ['2026-10-25T01:30:00Z', true],
    ['2026-10-25T02:59:00Z', true],
    ['2026-10-25T03:00:00Z', false],
    // and forward at 2:00 on 28 March: 4:00 is at 2:00 UTC
    ['2027-03-28T01:59:00Z', true],
    ['2027-03-28T02:00:00Z', false],
    ['2026-10-25T20:30:00Z', false],
  ])('spans midnight across clock changes: %s %s', (at, expected) => {
    expect(frozen(night, at)).toBe(expected);
  });

  const noon = '[{ days: [wed], from: "11:30", to: "12:30", zone: America/New_York }]';

  it.each([
    ['2026-11-11T16:29:59Z', false],
    ['2026-11-11T16:30:00Z', true],
    ['2026-11-11T17:29:59Z', true],
    ['2026-11-11T17:30:00Z', false],
    ['2026-11-10T17:00:00Z', false],
    ['2026-11-12T17:00:00Z', false],
  ])('of an hour starts with its first minute and ends with its last: %s %s', (at, expected) => {
    expect(frozen(noon, at)).toBe(expected);
  });

  it('that ends at the minute it starts lasts a day', () => {
    const whole = '[{ days: [wed], from: "08:00", to: "08:00", zone: UTC }]';
    const at = ['2026-11-11T07:59:59Z', '2026-11-11T08:00:00Z', '2026-11-12T07:59:59Z', '2026-11-12T08:00:00Z'];
    expect(at.map((each) => frozen(whole, each))).toEqual([false, true, true, false]);
  });

  it('set manually ends on time', () => {
    const by = { team: 'T', user: 'U', login: 'ada' };
    const now = new Date('2026-11-13T10:00:00Z');
    const byHand = { by, at: 0, until: now.getTime() + 7_200_000, reason: 'Launch' };
    expect(frozenBy('p', deployment('[]'), byHand, now)).toBe('p is frozen for another 2 h (Launch).');
    expect(frozenBy('p', deployment('[]'), byHand, new Date(byHand.until))).toBeUndefined();
  });
});
