import { describe, expect, it } from 'vitest';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();
const state = async () => (await scene.approval())?.state;
const refusals = () => scene.rows.map(({ outcome, person, detail }) => [outcome, person.user, detail]);

describe('a click', () => {
  it('by another person runs it once, as the requester; card, requester and audit show it', async () => {
    await scene.ask();
    expect(await scene.click('U0GRACE001')).toBeUndefined();
    expect(await state()).toBe('done');
    expect(scene.sent()).toMatchObject([{ who: 'ada' }]);
    expect(scene.answers).toMatchObject([
      { user: 'U0ADA00001', text: expect.stringContaining('The vault is open'), rank: 'known' },
    ]);
    expect(scene.rows).toMatchObject([
      {
        person: { team, user: 'U0ADA00001' },
        login: 'ada',
        command: 'vault open',
        args: { why: 'fire' },
        outcome: 'done',
        detail: expect.stringContaining('The vault is open'),
        operations: [{ name: 'issues.edit', status: 201 }],
        approval: { id: 'a1', approvers: [{ user: 'U0GRACE001' }] },
      },
    ]);
    expect(scene.posted.map(({ version }) => version.split('-')[0])).toEqual(['open', 'approved', 'done']);
    await expect(scene.click('U0LINUS001')).rejects.toThrow('already approved, and it was run');
    await scene.sweep();
    expect(scene.sent()).toHaveLength(1);
  });

  it('on Deny ends it', async () => {
    await scene.ask();
    await scene.click('U0GRACE001', 'deny');
    expect(await state()).toBe('denied');
    expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining('denied') }]);
    expect(scene.rows).toMatchObject([
      {
        outcome: 'refused',
        detail: 'denied by U0GRACE001',
        person: { user: 'U0ADA00001' },
        operations: [],
        approval: { approvers: [] },
      },
    ]);
    await expect(scene.click('U0LINUS001')).rejects.toThrow('already denied');
    expect(scene.sent()).toEqual([]);
  });

  it('on Deny stays, whatever someone writes into Redis', async () => {
    await scene.ask();
    await scene.click('U0GRACE001', 'deny');
    const key = 'bellows:{f0:approvals}:item:a1';
    await scene.at.redis.hset(key, 'state', 'open');
    await expect(scene.click('U0LINUS001')).rejects.toThrow('already denied');
    await scene.at.redis.hset(key, 'state', 'approved', 'count', 1);
    await scene.at.redis.zadd('bellows:{f0:approvals}:active', 0, 'a1');
    await scene.sweep();
    expect(scene.sent()).toEqual([]);
  });

  it('does not run again what has a result, whatever someone writes into Redis', async () => {
    await scene.ask();
    scene.world.state = 'ajar';
    await scene.click('U0GRACE001');
    expect(await state()).toBe('withdrawn');
    scene.world.state = 'shut';
    await scene.at.redis.hset('bellows:{f0:approvals}:item:a1', 'state', 'open');
    await expect(scene.click('U0LINUS001')).rejects.toThrow('This request has ended. Ask again.');
    expect(scene.sent()).toEqual([]);
  });

  it('of the requester withdraws it; nobody else’s does', async () => {
    await scene.ask();
    await expect(scene.click('U0GRACE001', 'withdraw')).rejects.toThrow('Only the requester');
    expect(await state()).toBe('open');
    await scene.click('U0ADA00001', 'withdraw');
    expect(await state()).toBe('withdrawn');
    expect(scene.answers).toMatchObject([{ text: expect.stringContaining('You withdrew') }]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('already withdrawn');
  });

  it.each([
    ['who asked', 'U0ADA00001', 'Someone else has to approve'],
    ['somebody without the role', 'U0EVE00001', 'can decide this'],
    ['somebody who is not linked', 'U0BOSS0001', 'Link your forge account first'],
  ])('by %s does not count, and is recorded', async (_who, user, words) => {
    await scene.ask();
    await expect(scene.click(user)).rejects.toThrow(words);
    expect(await state()).toBe('open');
    expect((await scene.approval())?.decisions).toEqual([]);
    expect(refusals()).toEqual([['refused', user, expect.stringContaining(words)]]);
    expect(scene.sent()).toEqual([]);
  });

  it.each([
    ['is not confirmed', { verified: false }],
    ['has no id', { forgeUserId: null }],
  ])('from an account that %s does not count', async (_case, account) => {
    await scene.ask();
    await scene.link('U0GRACE001', 'grace', account);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Link your forge account first');
    await expect(scene.click('U0GRACE001', 'deny')).rejects.toThrow('Link your forge account first');
    expect(await state()).toBe('open');
  });

  it('from a second Slack account of the same forge user does not count', async () => {
    await scene.ask();
    await scene.link('U0GRACE001', 'ada');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Someone else has to approve');
    expect(scene.sent()).toEqual([]);
  });

  it('from an account whose token the forge refused does not count', async () => {
    await scene.ask();
    const grace = { team, user: 'U0GRACE001' };
    await scene.at.store.accounts.markRevoked(grace, (await scene.at.store.accounts.get(grace))?.linkedAt ?? 0);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Link your forge account first');
    expect(scene.sent()).toEqual([]);
  });

  it('writes nothing while it only looks', async () => {
    const item = { owner: 'acme', repo: 'engine', index: 2 };
    await scene.ask();
    scene.configure('', [
      scene.vault('vault open', {
        approval: {
          async observe(_args, { api }) {
            await api.issues.edit({ ...item, body: { state: 'closed' } });
            return { bound: { state: 'shut' }, shown: [] };
          },
        },
      }),
    ]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('must not write');
    expect(scene.sent()).toEqual([]);
  });

  it('after sign-out does not count', async () => {
    await scene.ask();
    await scene.at.store.accounts.forget({ team, user: 'U0GRACE001' });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Link your forge account first');
  });

  it('from another workspace, or on something that does not exist, is refused', async () => {
    await scene.ask();
    await expect(scene.click('U0GRACE001', 'approve', { of: 'T2' })).rejects.toThrow('another workspace');
    await expect(scene.click('U0GRACE001', 'approve', { id: 'a9' })).rejects.toThrow('no longer exists');
  });

  it('after it expired does nothing', async () => {
    await scene.ask();
    scene.at.pass(3_600_000 - 1);
    await expect(scene.click('U0EVE00001')).rejects.toThrow('can decide this');
    scene.at.pass(1);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('This request has expired. Ask again.');
    expect(scene.sent()).toEqual([]);
  });

  describe('whose work is started again after a crash', () => {
    const dies = async (clicking: () => Promise<unknown>) => {
      const { post } = scene.deps;
      Object.assign(scene.deps, { post: () => Promise.reject(new Error('the process died')) });
      await expect(clicking()).rejects.toThrow('died');
      Object.assign(scene.deps, { post });
    };

    /** The same click, whose first run died after the vote. */
    const approvesAgain = async () => {
      const at = scene.at.now();
      await dies(() => scene.click('U0GRACE001'));
      scene.at.pass(5_000);
      expect(await scene.click('U0GRACE001', 'approve', { at })).toBeUndefined();
      expect(scene.posted.at(-1)?.version).toContain('U0GRACE001@');
    };

    it('is not told that it was already approved, and the audit has no refusal', async () => {
      await scene.ask();
      await approvesAgain();
      await scene.sweep();
      expect(await state()).toBe('done');
      expect(scene.rows.map(({ outcome }) => outcome)).toEqual(['done']);
    });

    it('shows the first of two approvals on the card', async () => {
      scene.configure('approvals:\n  risky: { count: 2 }\n');
      await scene.ask();
      await approvesAgain();
      expect(scene.rows).toEqual([]);
      // a second click is another matter
      await expect(scene.click('U0GRACE001')).rejects.toThrow('You have already decided on this.');
    });

    it.each([
      ['deny', 'U0GRACE001', 'denied your request'],
      ['withdraw', 'U0ADA00001', 'You withdrew your request'],
    ] as const)('tells the requester if that was not done yet: %s', async (verdict, user, words) => {
      await scene.ask();
      const { record } = scene.deps;
      Object.assign(scene.deps, { record: () => Promise.reject(new Error('the process died')) });
      await expect(scene.click(user, verdict)).rejects.toThrow('died');
      Object.assign(scene.deps, { record });
      expect(scene.answers).toEqual([]);
      await scene.click(user, verdict);
      expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining(words) }]);
    });

    it('tells the requester that it expired meanwhile', async () => {
      scene.configure('approvals:\n  risky: { count: 2 }\n');
      await scene.ask();
      const at = scene.at.now();
      await dies(() => scene.click('U0GRACE001'));
      scene.at.pass(365 * 86_400_000);
      // the sweep died right after that
      await scene.at.store.approvals.expire('a1');
      await scene.click('U0GRACE001', 'approve', { at });
      await scene.sweep();
      expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining('in time') }]);
      expect(scene.rows).toMatchObject([{ outcome: 'refused', detail: 'expired without a decision' }]);
    });

    it.each([
      ['deny', 'U0GRACE001', 'denied'],
      ['withdraw', 'U0ADA00001', 'withdrawn'],
    ] as const)('ends it once: %s', async (verdict, user, ended) => {
      await scene.ask();
      const at = scene.at.now();
      await dies(() => scene.click(user, verdict));
      scene.at.pass(5_000);
      expect(await scene.click(user, verdict, { at })).toBeUndefined();
      expect(await state()).toBe(ended);
      expect(scene.posted.at(-1)?.version).toContain(ended);
      expect(scene.rows).toHaveLength(1);
      expect(scene.rows[0]?.detail).not.toContain('refused');
    });
  });

  it('on Deny is refused to someone who approved at the same moment', async () => {
    scene.configure('approvals:\n  risky: { count: 2 }\n');
    await scene.ask();
    await scene.click('U0GRACE001');
    await expect(scene.click('U0GRACE001', 'deny')).rejects.toThrow('You have already decided on this.');
    expect(await state()).toBe('open');
  });

  /** What the store says at the last moment, after everything was checked. */
  const storeSays = (more: Partial<typeof scene.at.store.approvals>) => {
    const { store } = scene.deps.services;
    Object.assign(store, { approvals: { ...store.approvals, ...more } });
  };

  it.each([
    ['unconfirmed', 'The forge cannot confirm who your account belongs to, so it cannot approve this.'],
    ['again', 'You have already decided on this.'],
    ['expired', 'This request was already decided, withdrawn or has expired.'],
    ['closed', 'This request was already decided, withdrawn or has expired.'],
    ['unknown', 'This request was already decided, withdrawn or has expired.'],
  ] as const)('that comes a moment too late is refused: %s', async (outcome, words) => {
    await scene.ask();
    storeSays({ decide: async () => outcome });
    await expect(scene.click('U0GRACE001')).rejects.toThrow(words);
    expect(scene.rows).toMatchObject([{ outcome: 'refused', detail: `approve refused: ${words}` }]);
    expect(scene.sent()).toEqual([]);
  });

  it('on Withdraw that comes a moment too late is refused', async () => {
    await scene.ask();
    storeSays({ withdraw: async () => 'closed' });
    await expect(scene.click('U0ADA00001', 'withdraw')).rejects.toThrow('already decided or has expired');
    expect(scene.answers).toEqual([]);
  });

  it('counts for named people and current group members', async () => {
    scene.groups.set('S0GROUP001', ['U0LINUS001']);
    scene.configure('approvals:\n  risky: { approve: { users: [U0GRACE001], groups: [S0GROUP001] }, count: 2 }\n');
    expect((await scene.ask())?.text).toContain('2 other named approvers');
    await scene.link('U0BOSS0001', 'linus');
    await expect(scene.click('U0BOSS0001')).rejects.toThrow('can decide this');
    await scene.click('U0LINUS001');
    expect(await state()).toBe('open');
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });
});
