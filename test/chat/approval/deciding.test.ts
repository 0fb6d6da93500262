import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/errors.js';
import { ApiError } from '../../../src/forge/index.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();
const state = async () => (await scene.approval())?.state;
const refusals = () => scene.rows.map(({ outcome, person, detail }) => [outcome, person.user, detail]);

describe('a click', () => {
  it('of another person runs it, once, as who asked; card, requester and audit know', async () => {
    await scene.ask();
    expect(await scene.click('U0GRACE001')).toBeUndefined();
    expect(await state()).toBe('done');
    expect(scene.sent()).toMatchObject([{ who: 'ada' }]);
    expect(scene.told).toMatchObject([
      { user: 'U0ADA00001', text: expect.stringContaining('The vault is open'), id: 'approval-a1', rank: 'known' },
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

  it('that denies ends it', async () => {
    await scene.ask();
    await scene.click('U0GRACE001', 'deny');
    expect(await state()).toBe('denied');
    expect(scene.told).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining('denied') }]);
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

  it('of who asked withdraws it; of anybody else it does not', async () => {
    await scene.ask();
    await expect(scene.click('U0GRACE001', 'withdraw')).rejects.toThrow('Only the person who asked');
    expect(await state()).toBe('open');
    await scene.click('U0ADA00001', 'withdraw');
    expect(await state()).toBe('withdrawn');
    expect(scene.told).toMatchObject([{ text: expect.stringContaining('You withdrew') }]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('already withdrawn');
  });

  it.each([
    ['who asked', 'U0ADA00001', 'Someone else has to approve'],
    ['somebody without the role', 'U0EVE00001', 'not among those who may decide'],
    ['somebody who is not linked', 'U0BOSS0001', 'Link your own forge account'],
  ])('of %s does not count, and is written down', async (_who, user, words) => {
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
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Link your own forge account');
    await expect(scene.click('U0GRACE001', 'deny')).rejects.toThrow('Link your own forge account');
    expect(await state()).toBe('open');
  });

  it('from a second Slack account of the same forge user does not count', async () => {
    await scene.ask();
    await scene.link('U0GRACE001', 'ada');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Someone else has to approve');
    expect(scene.sent()).toEqual([]);
  });

  it('after sign-out does not count', async () => {
    await scene.ask();
    await scene.at.store.accounts.forget({ team, user: 'U0GRACE001' });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('Link your own forge account');
  });

  it('from another workspace, or on something that does not exist, is refused', async () => {
    await scene.ask();
    await expect(scene.click('U0GRACE001', 'approve', { of: 'T2' })).rejects.toThrow('another workspace');
    await expect(scene.click('U0GRACE001', 'approve', { id: 'a9' })).rejects.toThrow('no longer exists');
  });

  it('too late does nothing', async () => {
    await scene.ask();
    scene.at.pass(3_600_000 - 1);
    await expect(scene.click('U0EVE00001')).rejects.toThrow('not among');
    scene.at.pass(1);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('expired');
    expect(scene.sent()).toEqual([]);
  });

  it('counts by named people and groups as they are now', async () => {
    scene.groups.set('S0GROUP001', ['U0LINUS001']);
    scene.configure('approvals:\n  risky: { approve: { users: [U0GRACE001], groups: [S0GROUP001] }, count: 2 }\n');
    expect((await scene.ask())?.text).toContain('2 other named approvers');
    await scene.link('U0BOSS0001', 'linus');
    await expect(scene.click('U0BOSS0001')).rejects.toThrow('not among');
    await scene.click('U0LINUS001');
    expect(await state()).toBe('open');
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });
});

describe('where two have to approve', () => {
  const two = async (approve = 'maintainer') => {
    scene.configure(`approvals:\n  risky: { count: 2, approve: ${approve} }\n`);
    await scene.ask();
  };

  it('one is counted, the second runs it', async () => {
    await two();
    expect(await scene.click('U0GRACE001')).toBeUndefined();
    expect(await state()).toBe('open');
    expect(scene.posted.at(-1)?.version).toContain('U0GRACE001@');
    expect(scene.sent()).toEqual([]);
    scene.at.pass(1);
    await scene.click('U0LINUS001');
    expect(await state()).toBe('done');
    expect(scene.rows.at(-1)?.approval?.approvers.map(({ user }) => user)).toEqual(['U0GRACE001', 'U0LINUS001']);
  });

  it('nobody is two', async () => {
    await two();
    await scene.click('U0GRACE001');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('already decided');
    await scene.link('U0LINUS001', 'grace');
    await expect(scene.click('U0LINUS001')).rejects.toThrow('already decided');
    expect(await state()).toBe('open');
  });

  it('an approval whose giver lost the role or the account counts no more, and that is said', async () => {
    scene.groups.set('S0GROUP001', ['U0GRACE001']);
    await two('{ users: [U0LINUS001, U0BOSS0001], groups: [S0GROUP001] }');
    await scene.link('U0BOSS0001', 'ada-two').catch(() => scene.link('U0BOSS0001', 'bellows-bot'));
    await scene.click('U0GRACE001');
    scene.groups.set('S0GROUP001', []);
    const said = await scene.click('U0LINUS001');
    expect(said?.text).toContain('no longer counts');
    expect(await state()).toBe('open');
    expect((await scene.approval())?.decisions.map(({ by }) => by.user)).toEqual(['U0LINUS001']);
    await scene.click('U0BOSS0001');
    expect(await state()).toBe('done');
  });

  it('an approval from another forge account than the one linked now counts no more', async () => {
    await two();
    await scene.click('U0GRACE001');
    await scene.link('U0GRACE001', 'bellows-bot');
    await scene.click('U0LINUS001');
    expect(await state()).toBe('open');
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });

  it('a denial after an approval ends it', async () => {
    await two();
    await scene.click('U0GRACE001');
    await scene.click('U0LINUS001', 'deny');
    expect(await state()).toBe('denied');
    expect(scene.rows.at(-1)).toMatchObject({
      detail: 'denied by U0LINUS001',
      approval: { approvers: [{ user: 'U0GRACE001' }] },
    });
  });
});

describe('what was approved is not run', () => {
  const cancelled = async (words: string) => {
    const said = await scene.click('U0GRACE001');
    expect(said?.text).toContain(words);
    expect(await scene.approval()).toMatchObject({
      state: 'withdrawn',
      result: { summary: expect.stringContaining(words) },
    });
    expect(scene.told).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining(words) }]);
    expect(scene.rows.at(-1)).toMatchObject({ outcome: 'refused', detail: expect.stringContaining(words) });
    expect(scene.sent()).toEqual([]);
  };

  it('when its subject changed', async () => {
    await scene.ask();
    scene.world.state = 'open';
    await cancelled('state was shut, is open');
  });

  it('when its subject is gone, or the command refuses it by now', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new ApiError({ kind: 'notFound', operation: 'issues.get' });
    };
    await cancelled('it no longer exists');
    await scene.ask('U0ADA00001', { id: 'a2' }).catch(() => {});
  });

  it('when the command refuses it by now', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new UserError('The vault is bricked up.');
    };
    await cancelled('bricked up');
  });

  it('when the forge cannot be asked: the request stays open', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new ApiError({ kind: 'unavailable', operation: 'issues.get' });
    };
    await expect(scene.click('U0GRACE001')).rejects.toThrow(ApiError);
    expect(await state()).toBe('open');
  });

  it('when who asked may no longer ask', async () => {
    scene.configure('approvals:\n  risky: { ask: maintainer }\n');
    await scene.ask();
    scene.configure('approvals:\n  risky: { ask: admin }\n');
    await cancelled('may no longer ask');
  });

  it('when who asked lost the command’s own role', async () => {
    await scene.ask();
    scene.configure('approvals:\n  risky: { ask: everyone }\n', [scene.vault('vault open', { role: 'admin' })]);
    await cancelled('may no longer ask');
  });

  it('when who asked has linked another account, or none', async () => {
    await scene.ask();
    await scene.link('U0ADA00001', 'bellows-bot');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('linked another forge account');
    await scene.at.store.accounts.forget({ team, user: 'U0ADA00001' });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('no longer linked');
    expect(scene.sent()).toEqual([]);
  });

  it('when the command changed its shape or is gone', async () => {
    await scene.ask();
    const { fields: _, ...rest } = scene.vault('vault open');
    scene.configure('', [{ ...rest, fields: {} }]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('The command changed');
    scene.configure('', [scene.vault('vault shut')]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('The command changed');
    expect(scene.rows.at(-1)?.args).toEqual({});
  });

  it('though a denial needs none of that', async () => {
    await scene.ask();
    scene.world.state = 'open';
    await scene.click('U0GRACE001', 'deny');
    expect(await state()).toBe('denied');
  });
});
