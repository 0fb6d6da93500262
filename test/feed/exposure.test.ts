import { describe, expect, it } from 'vitest';
import { exposure, isOpen, unseen } from '../../src/feed/exposure.js';

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
