import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/errors.js';
import { ApiError } from '../../../src/forge/index.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();
const state = async () => (await scene.approval())?.state;

describe('an approved command is not run', () => {
  const cancelled = async (words: string) => {
    const said = await scene.click('U0GRACE001');
    expect(said?.text).toContain(words);
    expect(await scene.approval()).toMatchObject({
      state: 'withdrawn',
      result: { summary: expect.stringContaining(words) },
    });
    expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining(words) }]);
    expect(scene.rows.at(-1)).toMatchObject({ outcome: 'refused', detail: expect.stringContaining(words) });
    expect(scene.sent()).toEqual([]);
  };

  it('when its subject changed', async () => {
    await scene.ask();
    scene.world.state = 'open';
    await cancelled('state was shut, now open');
  });

  it('when its subject no longer exists', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new ApiError({ kind: 'notFound', operation: 'issues.get' });
    };
    await cancelled('it no longer exists');
  });

  it('when the command now refuses it', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new UserError('The vault is bricked up.');
    };
    await cancelled('bricked up');
  });

  it('when the forge does not respond: the request stays open', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new ApiError({ kind: 'unavailable', operation: 'issues.get' });
    };
    await expect(scene.click('U0GRACE001')).rejects.toThrow(ApiError);
    expect(await state()).toBe('open');
  });

  it('when the requester’s token no longer works: they link again, and the request stays open', async () => {
    await scene.ask();
    scene.world.observe = () => {
      const on = 'GET /repos/{owner}/{repo}/issues/{index}';
      scene.forge.faults.add({ on, times: 1, trouble: { status: 401 } });
    };
    await expect(scene.click('U0GRACE001')).rejects.toMatchObject({
      message: 'The requester’s forge token no longer works. They have to link their account again.',
      cause: expect.any(ApiError),
    });
    expect(scene.relinks).toMatchObject([{ user: 'U0ADA00001' }]);
    expect(await state()).toBe('open');
  });

  it('when the requester may no longer ask', async () => {
    scene.configure('approvals:\n  risky: { ask: maintainer }\n');
    await scene.ask();
    scene.configure('approvals:\n  risky: { ask: admin }\n');
    await cancelled('no longer allowed');
  });

  it('when the requester lost the command’s own role', async () => {
    await scene.ask();
    scene.configure('approvals:\n  risky: { ask: everyone }\n', [scene.vault('vault open', { role: 'admin' })]);
    await cancelled('no longer allowed');
  });

  it('when the requester has left the group that had the role', async () => {
    scene.groups.set('S0GROUP001', ['U0ADA00001']);
    // the roles end with the admins; nobody’s click reads their group
    const policy = '    groups: [S0GROUP001]\napprovals:\n  risky: { approve: { users: [U0GRACE001] } }\n';
    scene.configure(policy, [scene.vault('vault open', { role: 'admin' })]);
    await scene.deps.services.roles.refresh();
    await scene.ask();
    scene.groups.set('S0GROUP001', []);
    await cancelled('no longer allowed');
  });

  it('when the requester has linked another account, or none', async () => {
    await scene.ask();
    await scene.link('U0ADA00001', 'bellows-bot');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('linked another forge account');
    await scene.at.store.accounts.forget({ team, user: 'U0ADA00001' });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('no longer linked');
    expect(scene.sent()).toEqual([]);
  });

  it('when the command changed its shape or no longer exists', async () => {
    await scene.ask();
    const { fields: _, ...rest } = scene.vault('vault open');
    scene.configure('', [{ ...rest, fields: {} }]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('This command has changed');
    scene.configure('', [scene.vault('vault shut')]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('This command has changed');
    expect(scene.rows.at(-1)?.args).toEqual({});
  });

  it('though a denial needs none of that', async () => {
    await scene.ask();
    scene.world.state = 'open';
    await scene.click('U0GRACE001', 'deny');
    expect(await state()).toBe('denied');
  });
});
