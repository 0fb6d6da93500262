import { describe, expect, it } from 'vitest';
import { readPolicyFile } from '../../src/config/file.js';
import type { Unit } from '../../src/feed/event.js';
import { createGate } from '../../src/jobs/gate.js';
import type { ChannelFacts, Subscription } from '../../src/store/index.js';

const person = { team: 'T1', user: 'UADA' };
const repo = { id: 7, fullName: 'acme/vault' };
const room = { team: 'T1', channel: 'C1' };

interface Scene {
  readonly facts?: Partial<ChannelFacts> | 'gone' | 'unread';
  /** Whether the forge reports it as hidden now. */
  readonly hidden?: boolean;
  /** What the owner's account sees; unlinked: there is none. */
  readonly sight?: 'sees' | 'unknowable' | 'unlinked';
  /** The parts of it that the owner's account sees; all if absent. */
  readonly units?: readonly Unit[];
  readonly policy?: string;
}

/** The gate with answers from Slack, the forge and the owner's account. */
function gateOf({ facts = {}, hidden = true, sight = 'sees', units, policy = '' }: Scene) {
  const asked: string[] = [];
  const looked: string[] = [];
  const gate = createGate(
    {
      policy: readPolicyFile(policy, 'bellows.yaml'),
      now: () => 0,
      slack: {
        async channel(id, user) {
          asked.push(`${id} ${user ?? '-'}`);
          if (facts === 'unread') throw new Error('Slack is away');
          const usual = { kind: 'private', shared: false, member: true, archived: false, checkedAt: 0 } as const;
          return facts === 'gone' ? undefined : { ...usual, ...facts };
        },
      },
    },
    { isHidden: async () => hidden },
    async ({ team, user }, { id }, unit) => {
      looked.push(`${team}/${user} ${id}`);
      if (unit && units) return units.includes(unit);
      return sight === 'unlinked' ? undefined : sight === 'sees';
    },
  );
  return { gate, asked, looked };
}

const allow = 'exposure:\n  privateToPublic: allow\n  externallyShared: allow\n';
const open = { kind: 'public' } as const;

describe('the gate', () => {
  it.each([
    ['a hidden one in a private channel, as an owner who sees it', {}, {}, undefined],
    ['a hidden one in a private channel, as an owner who does not', { sight: 'unknowable' }, {}, 'unseen'],
    ['a hidden one in a private channel, as an owner without account', { sight: 'unlinked' }, {}, 'unseen'],
    ['issues of a hidden one, as an owner who sees them', { units: ['issues'] }, { units: ['issues'] }, undefined],
    ['issues of a hidden one, as an owner who sees its wiki only', { units: [] }, { units: ['issues'] }, 'unread'],
    [
      'a run and its commits, as an owner who sees runs only',
      { units: ['actions'] },
      { units: ['actions', 'code'] },
      'unread',
    ],
    ['issues of an open one', { hidden: false, units: [] }, { units: ['issues'] }, undefined],
    ['a hidden one that nobody answers for', {}, { person: undefined }, 'unseen'],
    ['an open one in a private channel, as anybody', { hidden: false, sight: 'unknowable' }, {}, undefined],
    ['an open one that nobody answers for', { hidden: false }, { person: undefined }, undefined],
    ['a hidden one in a public channel', { facts: open }, {}, 'hidden-in-public'],
    ['a hidden one in a public channel where that is allowed', { facts: open, policy: allow }, {}, undefined],
    ['the same, as an owner who does not see it', { facts: open, policy: allow, sight: 'unknowable' }, {}, 'unseen'],
    ['an open one in a public channel', { facts: open, hidden: false }, {}, undefined],
    ['an open one in a shared channel', { facts: { shared: true }, hidden: false }, {}, 'shared'],
    [
      'an open one in a shared channel where that is allowed',
      { facts: { shared: true }, hidden: false, policy: allow },
      {},
      undefined,
    ],
  ] as const)('shows %s: %s', async (_case, scene: Scene, by, reason) => {
    const { gate } = gateOf(scene);
    const verdict = await gate.check(room, repo, { person, ...by });
    expect(verdict).toMatchObject(reason === undefined ? { allowed: true } : { allowed: false, reason });
  });

  it('checks what was public when it was read only if everyone can read the channel', async () => {
    const was = { ...repo, hidden: false };
    const by = { person: undefined };
    expect(await gateOf({}).gate.check(room, was, by)).toEqual({ allowed: true });
    expect(await gateOf({ facts: open }).gate.check(room, was, by)).toMatchObject({ reason: 'hidden-in-public' });
    expect(
      await gateOf({ facts: { shared: true }, policy: 'exposure:\n  externallyShared: allow\n' }).gate.check(
        room,
        was,
        by,
      ),
    ).toMatchObject({ reason: 'hidden-in-public' });
    expect(await gateOf({ facts: open, policy: allow }).gate.check(room, was, by)).toEqual({ allowed: true });
    expect(await gateOf({}).gate.check(room, { ...repo, hidden: true }, by)).toMatchObject({ reason: 'unseen' });
  });

  it('asks Slack about the channel, with the responsible person', async () => {
    const { gate, asked } = gateOf({});
    await gate.check({ team: 'T1', channel: 'C1' }, repo, { person });
    await gate.check(room, repo, { person: undefined });
    expect(asked).toEqual(['C1 UADA', 'C1 -']);
  });

  it.each([
    ['Slack cannot be asked', 'unread', 'unknown', 'channel_unread'],
    ['the channel is gone', 'gone', 'channel', 'channel_not_found'],
    ['the channel is archived', { archived: true }, 'channel', 'is_archived'],
  ] as const)('throws if %s', async (_case, facts, kind, code) => {
    await expect(gateOf({ facts, hidden: false }).gate.check(room, repo, { person })).rejects.toMatchObject({
      kind,
      code,
    });
  });

  it.each([
    ['a hidden one its owner sees', 'owner', {}, undefined],
    ['a hidden one its owner does not see', 'owner', { sight: 'unknowable' }, 'can’t see'],
    ['a hidden one of an owner without account', 'owner', { sight: 'unlinked' }, 'can’t see'],
    ['an open one its owner does not see', 'owner', { hidden: false, sight: 'unknowable' }, undefined],
    ['a hidden one that was named itself', 'repo', { sight: 'unknowable' }, undefined],
  ] as const)('keeps for a pattern: %s', async (_case, kind, scene: Scene, words) => {
    const target: Subscription['target'] = kind === 'repo' ? { kind, id: 7 } : { kind, id: 5, pattern: '*' };
    const sub = { place: room, target, owner: 'UADA', createdAt: 0, filter: {} };
    const unseen = await gateOf(scene).gate.reasonUnseen(sub, repo);
    if (words === undefined) expect(unseen).toBeUndefined();
    else expect(unseen).toContain(words);
  });

  it('uses the owner’s access, in the workspace of their channel', async () => {
    const { gate, looked } = gateOf({});
    const target = { kind: 'owner', id: 5, pattern: '*' } as const;
    await gate.reasonUnseen({ place: room, target, owner: 'UEVE', createdAt: 0, filter: {} }, repo);
    await gate.check(room, repo, { person });
    expect(looked).toEqual(['T1/UEVE 7', 'T1/UADA 7']);
  });
});
