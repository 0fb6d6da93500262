import { describe, expect, it } from 'vitest';
import {
  address,
  choices,
  clearable,
  color,
  date,
  duration,
  type Field,
  issue,
  labels,
  milestone,
  number,
  person,
  repository,
  run,
  sshKey,
} from '../../../src/chat/fields.js';
import { moment } from '../../../src/features/runners/drain.js';
import { reading } from '../samples.js';

const reads = (field: Field, text: string, at = reading) => field.read(text, at);

describe('references', () => {
  it.each([
    ['acme/engine#12', { owner: 'acme', repo: 'engine', index: 12 }],
    ['engine#12', { repo: 'engine', index: 12 }],
    ['#12', { index: 12 }],
    ['12', { index: 12 }],
    ['acme/engine!12', { owner: 'acme', repo: 'engine', index: 12 }],
    [
      'https://git.example.org/forge/acme/engine/issues/12#issuecomment-7',
      { owner: 'acme', repo: 'engine', index: 12 },
    ],
    ['http://git.example.org/forge/acme/engine/pulls/12/files', { owner: 'acme', repo: 'engine', index: 12 }],
  ])('reads %s as an issue', (text, value) => {
    expect(reads(issue(), text)).toEqual(value);
  });

  it.each(['', '#0', 'acme/..#1', 'acme/engine', '99999999999999999', 'https://git.example.org/forge/acme/engine'])(
    'refuses %s and says what to write',
    (text) => {
      expect(() => reads(issue(), text)).toThrow('Write owner/repo#12, #12 or its web address.');
    },
  );

  it('refuses an address of another server', () => {
    expect(() => reads(issue(), 'https://git.example.net/forge/acme/engine/issues/1')).toThrow(
      'That address is not an issue on https://git.example.org/forge.',
    );
    expect(() => reads(issue(), 'https://git.example.org/acme/engine/issues/1')).toThrow(
      'That address is not an issue',
    );
  });

  it.each([
    ['acme/engine', { owner: 'acme', repo: 'engine' }],
    ['https://git.example.org/forge/acme/engine.git', { owner: 'acme', repo: 'engine' }],
    ['https://git.example.org/forge/acme/engine/src/branch/main', { owner: 'acme', repo: 'engine' }],
    ['', {}],
  ])('reads %s as a repository', (text, value) => {
    expect(reads(repository(), text)).toEqual(value);
  });

  it.each([
    ['acme/engine#123', { owner: 'acme', repo: 'engine', run: 123 }],
    ['acme/engine/123', { owner: 'acme', repo: 'engine', run: 123 }],
    ['123', { run: 123 }],
    ['https://git.example.org/forge/acme/engine/actions/runs/123/jobs/4', { owner: 'acme', repo: 'engine', run: 123 }],
  ])('reads %s as a run', (text, value) => {
    expect(reads(run(), text)).toEqual(value);
  });

  it.each([
    ['<@U12|ada>', { slack: 'U12', name: 'ada' }],
    ['<@U12>', { slack: 'U12' }],
    ['@ada', { login: 'ada' }],
    ['ada.l', { login: 'ada.l' }],
    ['@me', { me: true }],
  ])('reads %s as a person', (text, value) => {
    expect(reads(person(), text)).toEqual(value);
  });
});

describe('days', () => {
  it.each([
    ['today', '2026-07-15'],
    ['Tomorrow', '2026-07-16'],
    ['fri', '2026-07-17'],
    ['wed', '2026-07-22'],
    ['next mon', '2026-07-20'],
    ['next-fri', '2026-07-24'],
    ['next week', '2026-07-20'],
    ['+3d', '2026-07-18'],
    ['in 2 weeks', '2026-07-29'],
    ['2026-12-01', '2026-12-01'],
  ])('reads %s on a Wednesday', (text, day) => {
    expect(reads(date({ label: 'Due' }), text)).toBe(day);
  });

  it('are in the person’s time zone', () => {
    const late = { ...reading, now: new Date('2026-07-15T23:30:00Z'), zone: 120 };
    expect(reads(date({ label: 'Due' }), 'today', late)).toBe('2026-07-16');
    expect(reads(date({ label: 'Due' }), 'today', { ...late, zone: -480 })).toBe('2026-07-15');
  });

  it('are the next time on the person’s clock, also in a night in which clocks change', () => {
    const night = { ...reading, now: new Date('2026-03-28T22:00:00Z'), zone: 'Europe/Berlin' };
    expect(reads(moment(), '7:00', night)).toBe('2026-03-29T05:00:00.000Z');
    expect(reads(moment(), '23:00', night)).toBe('2026-03-29T21:00:00.000Z');
    expect(reads(moment(), '23:30', night)).toBe('2026-03-28T22:30:00.000Z');
    expect(reads(moment(), '7:00', { ...night, zone: 60 })).toBe('2026-03-29T06:00:00.000Z');
  });

  it('may be in the past only if the command looks back', () => {
    expect(() => reads(date({ label: 'Due' }), 'yesterday')).toThrow('2026-07-14 is in the past.');
    expect(reads(date({ label: 'Since', past: true }), 'yesterday')).toBe('2026-07-14');
    expect(reads(date({ label: 'Since', past: true }), 'mon')).toBe('2026-07-13');
    expect(() => reads(date({ label: 'Since', past: true }), 'whenever')).toThrow(
      'I can’t read that date. Write yesterday, mon or 2026-12-01.',
    );
    expect(() => reads(duration({ label: 'How long' }), 'whenever')).toThrow(
      'I can’t read that duration. Write 1h30m, 90m, 1.5h or 2d.',
    );
    const days = choices(['mon', 'tue'], { label: 'Days' });
    expect(() => reads(days, 'tomorrow')).toThrow(/^“tomorrow” is not one of the options for Days: mon, tue\.$/);
    expect(() => reads(days, 'mom')).toThrow('Did you mean mon?');
    expect(reads(date({ label: 'Since', past: true }), '3 days ago')).toBe('2026-07-12');
  });

  it('must exist', () => {
    expect(() => reads(date({ label: 'Due' }), '2026-02-30')).toThrow('not a valid date');
    expect(() => reads(date({ label: 'Due' }), 'someday')).toThrow('Write tomorrow, fri, next mon, +3d or 2026-12-01.');
  });
});

describe('other values', () => {
  it.each([
    [duration({ label: 'Time' }), '1h30m', 5400],
    [duration({ label: 'Time' }), '1.5h', 5400],
    [duration({ label: 'Time' }), '2d', 172_800],
    [color(), '1D76DB', '#1d76db'],
    [milestone(), 'v 1.0', { title: 'v 1.0' }],
    [milestone(), '#4', { id: 4 }],
    [labels(), 'bug, needs review, one\\, two', ['bug', 'needs review', 'one, two']],
    [clearable(labels()), 'none', null],
  ])('are read from the words people use', (field: Field, text, value) => {
    expect(reads(field, text)).toEqual(value);
  });

  it.each([
    [duration({ label: 'Time' }), '90', 'Write 1h30m, 90m, 1.5h or 2d'],
    [number({ label: 'Position', min: -128, max: 127 }), '128', 'Position must be a whole number from -128 to 127.'],
    [color(), 'red', 'Write the color as #rrggbb'],
    [address(), 'https://ada:secret@example.org/a.git', 'Remove the user name and password'],
    [address(), 'file:///etc/passwd', 'starts with https:// or http://'],
    [sshKey(), '-----BEGIN OPENSSH PRIVATE KEY-----', 'This is a private key'],
    [sshKey(), 'ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAA', 'not a public SSH key'],
  ])('are refused with what to write', (field: Field, text, says) => {
    expect(() => reads(field, text)).toThrow(says);
  });

  it('no credential is repeated in the refusal', () => {
    expect(() => reads(address(), 'https://ada:hunter2@example.org/a.git')).not.toThrow('hunter2');
  });
});
