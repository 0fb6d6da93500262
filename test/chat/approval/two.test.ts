import { describe, expect, it } from 'vitest';
import { useApprovals } from './scene.js';

const scene = useApprovals();
const state = async () => (await scene.approval())?.state;

describe('if two people have to approve', () => {
  const two = async (approve = 'maintainer') => {
    scene.configure(`approvals:\n  risky: { count: 2, approve: ${approve} }\n`);
    await scene.ask();
  };

  it('the first is counted, the second runs it', async () => {
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

  it('one person does not count twice', async () => {
    await two();
    await scene.click('U0GRACE001');
    scene.at.pass(1);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('already decided');
    await scene.link('U0LINUS001', 'grace');
    await expect(scene.click('U0LINUS001')).rejects.toThrow('already decided');
    expect(await state()).toBe('open');
  });

  it('one person does not count twice, even if the forge user’s vote was removed from Redis', async () => {
    await two();
    await scene.click('U0GRACE001');
    const key = 'bellows:{f0:approvals}:item:a1';
    const marks = (await scene.at.redis.hkeys(key)).filter((name) => name.startsWith('forge '));
    expect(marks).toHaveLength(1);
    await scene.at.redis.hdel(key, ...marks);
    await scene.link('U0LINUS001', 'grace');
    await scene.click('U0LINUS001');
    await scene.sweep();
    expect(scene.sent()).toEqual([]);
    expect(await state()).toBe('failed');
  });

  it('an approval no longer counts once its person lost the role or the account, and that is shown', async () => {
    scene.groups.set('S0GROUP001', ['U0GRACE001']);
    await two('{ users: [U0LINUS001, U0BOSS0001], groups: [S0GROUP001] }');
    await scene.link('U0BOSS0001', 'bellows-bot');
    await scene.click('U0GRACE001');
    scene.groups.set('S0GROUP001', []);
    const said = await scene.click('U0LINUS001');
    expect(said?.text).toContain('The approval of grace no longer counts');
    expect(await state()).toBe('open');
    expect((await scene.approval())?.decisions.map(({ by }) => by.user)).toEqual(['U0LINUS001']);
    await scene.click('U0BOSS0001');
    expect(await state()).toBe('done');
  });

  it('an approval no longer counts once its person links another forge account', async () => {
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
