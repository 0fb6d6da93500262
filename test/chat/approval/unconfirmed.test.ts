import { describe, expect, it } from 'vitest';
import { mayApprove } from '../../../src/chat/approval/policy.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();
const ada = { team, user: 'U0ADA00001' };
const accounts = `bellows:{f0:${team}}:accounts`;

/** As if linked by a version without signatures, under a login of the writer's choice. */
async function unsign(user: string, login: string): Promise<void> {
  const { signed: _, ...row } = JSON.parse((await scene.at.redis.hget(accounts, user)) ?? '{}');
  await scene.at.redis.hset(accounts, user, JSON.stringify({ ...row, login }));
}

describe('an account the forge did not confirm', () => {
  it('cannot request approval: its owner could approve with a second Slack account', async () => {
    await unsign(ada.user, 'somebody');
    await scene.link('U0GRACE001', 'ada');
    await expect(scene.ask()).rejects.toThrow('has not confirmed your account. Link it again');
    expect(await scene.approval()).toBeUndefined();
    expect(scene.posted).toEqual([]);
  });

  it('cannot request approval without an id at the forge', async () => {
    await scene.link(ada.user, 'ada', { forgeUserId: null });
    await expect(scene.ask()).rejects.toThrow('has not confirmed your account. Link it again');
    expect(await scene.approval()).toBeUndefined();
  });

  it('is not told to link again where the forge cannot confirm anybody', async () => {
    await scene.link(ada.user, 'ada', { verified: false });
    const { forge } = scene.deps.services;
    const capabilities = { ...forge.capabilities, has: async () => false };
    Object.assign(scene.deps.services, { forge: { ...forge, capabilities } });
    await expect(scene.ask()).rejects.toThrow('this forge cannot confirm who is who, so nobody can approve it');
  });

  it('gets an explanation if there is no account', async () => {
    await scene.at.store.accounts.forget(ada);
    await expect(scene.ask()).rejects.toThrow('Link your forge account first');
  });

  it('does not run what a confirmed account of the same name requested', async () => {
    await scene.ask();
    await scene.link(ada.user, 'linus');
    await unsign(ada.user, 'ada');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('no longer linked');
    expect(scene.sent()).toEqual([]);
  });

  it('is not a member of a team', async () => {
    const { id, login } = await scene.deps.services.service.users.me();
    const teams = { users: [], groups: [], teams: ['acme/Owners'] };
    const account = {
      person: { team, user: 'U0X' },
      login,
      forgeUserId: id,
      linkedAt: 0,
      state: 'active',
      verified: true,
    } as const;
    const may = (change: Partial<Parameters<typeof mayApprove>[2]>) =>
      mayApprove(scene.deps.services, account.person, { ...account, ...change }, teams);
    expect(await may({})).toBe(true);
    expect(await may({ verified: false })).toBe(false);
    expect(await may({ forgeUserId: null })).toBe(false);
    expect(await mayApprove(scene.deps.services, account.person, undefined, teams)).toBe(false);
  });
});
