import { describe, expect, it } from 'vitest';
import { audienceOf } from '../../src/feed/covers.js';
import { type Event, type Unit, unitsOf } from '../../src/feed/event.js';
import { exposure, isOpen, unseen } from '../../src/feed/exposure.js';
import { events } from './samples/events.js';

const kinds = ['public', 'private', 'dm', 'group'] as const;
const choices = ['refuse', 'allow'] as const;
const every = kinds.flatMap((kind) =>
  [false, true].flatMap((shared) =>
    [false, true].flatMap((hidden) =>
      choices.flatMap((externallyShared) =>
        choices.map((privateToPublic) => ({ kind, shared, hidden, externallyShared, privateToPublic })),
      ),
    ),
  ),
);

describe('what may be shown where', () => {
  it.each(every)('$kind shared=$shared hidden=$hidden $externallyShared $privateToPublic', (each) => {
    const { kind, shared, hidden, externallyShared, privateToPublic } = each;
    const verdict = exposure({ hidden }, { kind, shared }, { externallyShared, privateToPublic });
    const strangers = shared && externallyShared === 'refuse';
    const open = (kind === 'public' || shared) && hidden && privateToPublic === 'refuse';
    const reason = strangers ? 'shared' : open ? 'hidden-in-public' : undefined;
    expect(verdict).toEqual(
      reason === undefined ? { allowed: true } : { allowed: false, reason, words: expect.stringMatching(/\w/) },
    );
  });

  it('nothing if Slack does not say who can read it', () => {
    const policy = { externallyShared: 'allow', privateToPublic: 'allow' } as const;
    expect(exposure({ hidden: false }, undefined, policy)).toMatchObject({ allowed: false, reason: 'unknown-channel' });
  });

  it('a channel is open to everyone, or to strangers', () => {
    expect(kinds.filter((kind) => isOpen({ kind, shared: false }))).toEqual(['public']);
    expect(kinds.every((kind) => isOpen({ kind, shared: true }))).toBe(true);
  });

  it('what its owner cannot see is not shown', () => {
    expect(unseen).toMatchObject({ allowed: false, reason: 'unseen' });
  });
});

describe('what its owner has to be able to read', () => {
  const { push } = events['commits:pushed'];

  it.each<[string, Event, Unit[]]>([
    ['an issue', events['issues:opened'], ['issues']],
    ['a comment on a pull request', events['comments:pull'], ['pulls']],
    ['a review', events['reviews:approved'], ['pulls']],
    ['a merge that shows its commits', { ...events['pulls:merged'], push }, ['pulls', 'code']],
    ['a failed run with the commits since', events['runs:failure'], ['actions', 'code']],
    ['a run of a pull request that waits', events['runs:waiting'], ['actions', 'pulls']],
    ['a release', events['releases:published'], ['releases']],
    ['a repository', events['repos:renamed'], []],
  ])('%s', (_what, event, units) => {
    expect(unitsOf(event)).toEqual(units);
  });

  it('is the pull requests for a notice about one, of a repository that counts as hidden until it is read', () => {
    const place = { team: 'T1', channel: 'C0ROOM0001' };
    const sub = { place, target: { kind: 'repo', id: 12 }, owner: 'U1', filter: {}, createdAt: 0 } as const;
    const repo = { id: 12, fullName: 'acme/engine' };
    expect(audienceOf(repo, sub)).toEqual({
      repo: { ...repo, hidden: true },
      subscription: 'T1/C0ROOM0001 r12',
      units: ['pulls'],
    });
  });

  it('is some part of it for everything but the repository itself', () => {
    const without = Object.values(events).filter((event) => unitsOf(event).length === 0);
    expect(without.map(({ kind }) => kind).filter((kind) => !kind.startsWith('repos:'))).toEqual([]);
  });
});
