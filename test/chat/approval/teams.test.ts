import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/forge/index.js';
import { useApprovals } from './scene.js';

const scene = useApprovals();
const state = async () => (await scene.approval())?.state;

const byTeam = (more = '') => scene.configure(`approvals:\n  risky: { approve: { teams: [acme/Release]${more} } }\n`);

beforeAll(() => void scene.forge.world.createTeam({ org: 'acme', name: 'Release', members: [] }));
beforeEach(() => scene.forge.world.addTeamMember({ org: 'acme', team: 'Release', login: 'grace' }));

describe('if a forge team decides', () => {
  it('a member’s click counts, by the forge’s user id', async () => {
    byTeam();
    scene.slackUsers.set('grace', 'U0GRACE001');
    expect((await scene.ask())?.text).toContain('one other member of acme/Release');
    expect((await scene.approval())?.policy).toMatchObject({
      roles: [],
      users: [],
      groups: [],
      teams: ['acme/Release'],
    });
    await expect(scene.click('U0LINUS001')).rejects.toThrow('can decide this');
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });

  it('nobody counts who only typed a member’s name', async () => {
    byTeam();
    scene.slackUsers.set('grace', 'U0GRACE001');
    await scene.ask();
    await scene.link('U0GRACE001', 'grace', { verified: false });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('can decide this');
    await scene.link('U0GRACE001', 'grace', { forgeUserId: null });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('can decide this');
    await scene.signOut('U0GRACE001');
    await expect(scene.click('U0GRACE001')).rejects.toThrow('can decide this');
    expect(await state()).toBe('open');
  });

  it('membership is read at the click', async () => {
    byTeam();
    scene.slackUsers.set('grace', 'U0GRACE001');
    await scene.ask();
    scene.forge.world.removeTeamMember({ org: 'acme', team: 'Release', login: 'grace' });
    await expect(scene.click('U0GRACE001')).rejects.toThrow('can decide this');
  });

  it('named people count beside it', async () => {
    byTeam(', users: [U0LINUS001]');
    expect((await scene.ask())?.text).toContain('one other named approver');
    await scene.click('U0LINUS001');
    expect(await state()).toBe('done');
  });

  it('a request does not wait for members unknown to Slack', async () => {
    byTeam();
    await expect(scene.ask()).rejects.toThrow('nobody in');
    scene.slackUsers.set('grace', 'U0ADA00001');
    await expect(scene.ask()).rejects.toThrow('nobody in');
    scene.slackUsers.set('grace', 'U0GRACE001');
    await scene.ask();
    expect(await state()).toBe('open');
  });

  it('someone in the team and named as well is one person', async () => {
    scene.slackUsers.set('grace', 'U0GRACE001');
    scene.configure(
      'approvals:\n  risky: { count: 2, approve: { users: [U0GRACE001, U0ADA00001], teams: [acme/Release] } }\n',
    );
    await expect(scene.ask()).rejects.toThrow('only 1 in');
  });

  it('a team that does not exist, or whose organization does not, is empty', async () => {
    scene.configure(
      'approvals:\n  risky: { approve: { users: [U0GRACE001], teams: [acme/Nobody, nowhere/Release] } }\n',
    );
    await scene.ask();
    await expect(scene.click('U0LINUS001')).rejects.toThrow('can decide this');
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });

  it('nothing is decided while the forge does not respond', async () => {
    byTeam();
    scene.slackUsers.set('grace', 'U0GRACE001');
    await scene.ask();
    scene.forge.faults.add({ on: /GET .*teams/, trouble: { status: 500 } });
    await expect(scene.click('U0GRACE001')).rejects.toThrow(ApiError);
    expect(await state()).toBe('open');
    // nobody is told that they may not decide
    expect(scene.rows).toEqual([]);
    scene.forge.faults.clear();
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });
});
