import { describe, expect, it } from 'vitest';
import { askApproval } from '../../../src/chat/approval/ask.js';
import type { Observation } from '../../../src/chat/command.js';
import { request } from '../../../src/chat/request.js';
import { UserError } from '../../../src/errors.js';
import { ApiError } from '../../../src/forge/index.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();

describe('requesting a risky command', () => {
  it('keeps exactly what was requested, by whom, where and until when', async () => {
    const answer = await scene.ask();
    expect(answer?.text).toContain('one other maintainer');
    expect(await scene.approval()).toMatchObject({
      command: 'vault open',
      state: 'open',
      requester: { team, user: 'U0ADA00001', login: 'ada', forgeUserId: expect.any(Number) },
      channel: 'C0ROOM0001',
      bound: { state: 'shut' },
      decisions: [],
      policy: {
        needed: 1,
        roles: ['maintainer'],
        users: [],
        groups: [],
        teams: [],
        requesterCounts: false,
        expiresAt: scene.at.now() + 3_600_000,
      },
      shown: {
        line: expect.stringContaining('vault open'),
        summary: 'Open the vault',
        observed: [['State', 'shut']],
        unobserved: false,
        channel: 'C0ROOM0001',
        requests: [{ route: expect.stringContaining('/issues/'), input: expect.any(Array) }],
      },
      announced: 'open',
    });
    expect(await scene.at.store.approvals.args('a1')).toEqual({ why: 'fire' });
    expect(scene.sent()).toEqual([]);
  });

  it('posts one card to the channel', async () => {
    await scene.ask();
    expect(scene.posted).toMatchObject([{ key: 'approval-a1', channel: 'C0ROOM0001', version: 'open' }]);
    expect(JSON.stringify(scene.posted[0]?.message)).toContain('vault open');
  });

  it('needs nobody if nothing is risky, unless the policy names people, a channel or a number', async () => {
    const asked = async (policy: string) => {
      scene.configure(policy, [scene.vault('vault open', { risk: 'write' })]);
      return (await scene.ask()) !== undefined;
    };
    expect(await asked('')).toBe(false);
    expect(await scene.approval()).toBeUndefined();
    expect(await asked('approvals:\n  write: { count: 1 }\n')).toBe(true);
    expect(await asked('approvals:\n  commands:\n    vault open: { channel: C0ROOM0001 }\n')).toBe(true);
    expect(await asked('approvals:\n  commands:\n    vault open: { approve: admin, count: 0 }\n')).toBe(false);
  });

  it('says so if nobody is needed', async () => {
    const harmless = scene.vault('vault open', { risk: 'write' });
    scene.configure('', [harmless]);
    const context = await scene.contextOf();
    const job = {
      v: 1,
      kind: 'command',
      command: 'vault open',
      dryRun: false,
      source: 'typed',
      person: context.person,
      answer: {},
      args: {},
      acceptedAt: scene.at.now(),
    } as const;
    expect(await askApproval(scene.deps, harmless, {}, context, job, 'a1')).toEqual({
      needed: false,
      role: 'maintainer',
    });
  });

  it.each([
    [
      request('runs.forceCancel', { owner: 'acme', repo: 'engine', run: 8 }),
      'force-cancel the run. Ask a repository owner',
    ],
    [request('runs.rerun', { owner: 'acme', repo: 'engine', run: 8 }), 'rerun it. Ask a repository owner'],
    [
      request('projects.editInRepo', { owner: 'acme', repo: 'engine', id: 1, body: { title: 'x' } }),
      'update the project. Ask a repository owner',
    ],
    [
      request('keys.addDeploy', { owner: 'acme', repo: 'engine', body: { title: 'x', key: 'y' } }),
      'add the deploy key. Ask a repository owner',
    ],
    [request('admin.createRegistrationToken', {}), 'create a runner registration token. Ask a site admin of the forge'],
  ])('bothers nobody with what the forge would refuse: %j', async (planned, words) => {
    scene.configure('', [scene.vault('vault open', { plan: () => [planned] })]);
    await scene.link('U0GRACE001', 'margaret');
    await expect(scene.ask('U0GRACE001')).rejects.toThrow(words);
    expect(scene.posted).toEqual([]);
    expect(await scene.ask('U0ADA00001')).toBeDefined();
  });

  it('takes a team’s rights for its members’', async () => {
    const { world } = scene.forge;
    world.createTeam({
      org: 'acme',
      name: 'starters',
      allRepos: true,
      units: { code: 'read', actions: 'write' },
      members: ['margaret'],
    });
    const run = { owner: 'acme', repo: 'engine', run: 8 };
    scene.configure('', [scene.vault('vault open', { plan: () => [request('runs.forceCancel', run)] })]);
    await scene.link('U0GRACE001', 'margaret');
    expect(await scene.ask('U0GRACE001')).toBeDefined();
  });

  it('keeps facts as they were shown, with their lists and pages', async () => {
    const page = { text: 'Run 7', url: 'https://forge.example/run/7' };
    const shown: Observation['shown'] = [
      ['Files', ['a.ts', 'b.ts']],
      ['Checks', 'passed', page],
    ];
    const observe = async () => ({ bound: {}, shown, details: shown });
    scene.configure('', [scene.vault('vault open', { approval: { observe } })]);
    await scene.ask();
    expect((await scene.approval())?.shown).toMatchObject({ observed: shown, details: shown });
  });

  it('makes nobody wait if the policy says so for risky commands', async () => {
    scene.configure('approvals:\n  risky: { count: 0 }\n');
    expect(await scene.ask()).toBeUndefined();
  });

  it('prefers the command’s own entry over its tier’s', async () => {
    scene.configure('approvals:\n  risky: { count: 2, expires: 2h }\n  commands:\n    vault open: { count: 1 }\n');
    await scene.ask();
    expect((await scene.approval())?.policy).toMatchObject({ needed: 1, expiresAt: scene.at.now() + 2 * 3_600_000 });
  });

  it('requires the role that may ask', async () => {
    scene.configure('approvals:\n  risky: { ask: admin }\n');
    await expect(scene.ask()).rejects.toThrow('Only admins can request');
    expect(await scene.approval()).toBeUndefined();
    scene.configure('approvals:\n  risky: { ask: maintainer }\n');
    await scene.ask();
    expect(await scene.approval()).toBeDefined();
  });

  it('requires the role that may ask even where nobody has to approve', async () => {
    scene.configure('approvals:\n  risky: { ask: admin, count: 0 }\n');
    await expect(scene.ask()).rejects.toThrow('Only admins can request vault open. Ask one of them.');
    scene.configure('approvals:\n  risky: { ask: maintainer, count: 0 }\n');
    expect(await scene.ask()).toBeUndefined();
  });

  it.each([
    ['outside any channel', { channel: null }],
    ['in a direct message', { channel: 'D1' }],
    ['where the bot is not', { channel: 'C0AWAY0001' }],
    ['in an archived channel', { channel: 'C0OLD00001' }],
    ['in a channel nobody knows', { channel: 'C0NONE0001' }],
    ['where the repository may not be shown', { channel: 'C0SHARED01' }],
  ])('is refused %s', async (_where, given) => {
    scene.channels.set('C0AWAY0001', { member: false });
    scene.channels.set('C0OLD00001', { archived: true });
    scene.channels.set('C0SHARED01', {});
    await expect(scene.ask('U0ADA00001', given)).rejects.toThrow();
    expect(await scene.approval()).toBeUndefined();
    expect(scene.posted).toEqual([]);
  });

  it('says why its repository may not be shown there', async () => {
    scene.world.refusal = 'Everyone can read this channel.';
    await expect(scene.ask()).rejects.toThrow('Everyone can read this channel.');
    const args = { repository: { owner: 'acme', repo: 'engine' } };
    await expect(scene.ask('U0ADA00001', { args })).rejects.toThrow('Everyone can read this channel.');
  });

  it('does not say so of a repository that does not exist for the requester', async () => {
    scene.world.refusal = 'Everyone can read this channel.';
    const args = { repository: { owner: 'acme', repo: 'nowhere' } };
    await expect(scene.ask('U0ADA00001', { args })).rejects.toMatchObject({ kind: 'notFound', operation: 'repos.get' });
  });

  it('is refused in the command’s own words if it cannot wait', async () => {
    const refuseWaiting = (_args: unknown, approvers: string) => new UserError(`It does not wait for ${approvers}.`);
    scene.configure('', [scene.vault('vault open', { approval: { refuseWaiting } })]);
    await expect(scene.ask()).rejects.toThrow('It does not wait for one other maintainer.');
    expect(await scene.approval()).toBeUndefined();
  });

  it('goes to the policy’s channel, and remembers where it was requested', async () => {
    scene.channels.set('C0OTHER001', {});
    scene.configure('approvals:\n  risky: { channel: C0OTHER001 }\n');
    await scene.ask('U0ADA00001', { channel: 'D0ADA00001' });
    expect(scene.posted[0]?.channel).toBe('C0OTHER001');
    expect((await scene.approval())?.channel).toBe('D0ADA00001');
  });

  it.each([
    ['nobody else who may decide is there', 1, ['U0ADA00001', 'U0EVE00001'], 'private', false],
    ['one other is there', 1, ['U0ADA00001', 'U0GRACE001'], 'private', true],
    ['one of two is there', 2, ['U0ADA00001', 'U0GRACE001', 'U0EVE00001'], 'private', false],
    ['two are there', 2, ['U0ADA00001', 'U0GRACE001', 'U0LINUS001'], 'private', true],
    ['nobody knows who is there', 2, undefined, 'private', true],
    ['too few exist', 4, undefined, 'private', false],
    ['anybody can come', 3, ['U0ADA00001'], 'public', true],
    ['anybody can come, but too few exist', 4, ['U0ADA00001'], 'public', false],
  ] as const)('waits only for people who can decide there: %s', async (_case, count, there, kind, possible) => {
    scene.channels.set('C0ROOM0001', { kind });
    if (there) scene.members.set('C0ROOM0001', there);
    scene.configure(`approvals:\n  risky: { count: ${count} }\n`);
    if (possible) await scene.ask();
    else await expect(scene.ask()).rejects.toThrow();
    expect((await scene.approval()) !== undefined).toBe(possible);
  });

  it('counts the requester if the policy does', async () => {
    scene.channels.set('C0ROOM0001', { kind: 'private' });
    scene.members.set('C0ROOM0001', ['U0ADA00001']);
    scene.configure('approvals:\n  risky: { requesterCounts: true }\n');
    await scene.ask();
    await scene.click('U0ADA00001');
    expect((await scene.approval())?.state).toBe('done');
  });

  it('waits for anyone if everyone may decide', async () => {
    scene.channels.set('C0ROOM0001', { kind: 'private' });
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0EVE00001']);
    scene.configure('approvals:\n  risky: { approve: everyone }\n');
    expect((await scene.ask())?.text).toContain('one other person');
    scene.members.set('C0ROOM0001', ['U0ADA00001']);
    await expect(scene.ask('U0ADA00001', { id: 'a2' })).rejects.toThrow();
  });

  it.each([
    ['anybody can come', 'public', ['U0ADA00001']],
    ['nobody knows who is there', 'private', undefined],
  ] as const)('waits for anyone if everyone may decide and %s', async (_case, kind, there) => {
    scene.channels.set('C0ROOM0001', { kind });
    if (there) scene.members.set('C0ROOM0001', there);
    scene.configure('approvals:\n  risky: { approve: everyone }\n');
    expect((await scene.ask())?.text).toContain('one other person');
  });

  it('looks up no more people than are needed', async () => {
    const looked: string[] = [];
    scene.channels.set('C0ROOM0001', { kind: 'private' });
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0EVE00001', 'U0EVE00002', 'U0EVE00003']);
    scene.configure('approvals:\n  risky: { approve: everyone, count: 2 }\n');
    Object.assign(scene.deps.services.slack, { user: async (id: string) => void looked.push(id) });
    await scene.ask();
    expect(looked).toEqual(['U0EVE00001', 'U0EVE00002']);
  });

  it.each([
    ['Bellows itself', { bot: true }],
    ['someone who has left', { deleted: true }],
  ])('does not wait for %s', async (_who, other) => {
    scene.channels.set('C0ROOM0001', { kind: 'private' });
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0OTHER001']);
    scene.others.set('U0OTHER001', other);
    scene.configure('approvals:\n  risky: { approve: everyone }\n');
    await expect(scene.ask()).rejects.toThrow(/but nobody in .* can approve it. Add an approver/);
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0OTHER001', 'U0EVE00001']);
    expect((await scene.ask())?.text).toContain('one other person');
  });

  describe('on a forge that cannot report the current state', () => {
    const blind = () => {
      throw new ApiError({ kind: 'notFound', operation: 'issues.get', unsupported: true });
    };

    it('is refused', async () => {
      scene.world.observe = blind;
      await expect(scene.ask()).rejects.toMatchObject({
        message: expect.stringContaining('cannot show the current state'),
        cause: expect.any(ApiError),
      });
      expect(await scene.approval()).toBeUndefined();
    });

    it('is requested without a state if the policy allows that, and the card says so', async () => {
      scene.world.observe = blind;
      scene.configure('approvals:\n  risky: { unobserved: allow }\n');
      await scene.ask();
      expect(await scene.approval()).toMatchObject({
        bound: { request: expect.any(String) },
        shown: { unobserved: true, observed: [] },
      });
    });

    it('fails unchanged for any other reason', async () => {
      scene.world.observe = () => {
        throw new ApiError({ kind: 'notFound', operation: 'issues.get' });
      };
      scene.configure('approvals:\n  risky: { unobserved: allow }\n');
      await expect(scene.ask()).rejects.toThrow(ApiError);
    });
  });

  it('binds a command that observes nothing to nothing', async () => {
    const { approval: _, ...plain } = scene.vault('vault open');
    scene.configure('', [plain]);
    await scene.ask();
    expect(await scene.approval()).toMatchObject({ bound: {}, shown: { unobserved: false } });
    await scene.click('U0GRACE001');
    expect((await scene.approval())?.state).toBe('done');
  });
});
