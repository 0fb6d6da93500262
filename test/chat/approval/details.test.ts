import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/errors.js';
import { ApiError } from '../../../src/forge/index.js';
import type { Agent } from '../../../src/store/index.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();
const state = async () => (await scene.approval())?.state;
const ada = { team, user: 'U0ADA00001' };
const idOf = (login: string) => scene.forge.world.user(login)?.id ?? 0;

describe('a request keeps', () => {
  it('the reason, separate from the typed line', async () => {
    await scene.ask('U0ADA00001', { args: { why: 'fire', reason: 'A drill' } });
    expect((await scene.approval())?.shown).toMatchObject({ reason: 'A drill' });
    expect(JSON.stringify((await scene.approval())?.shown)).not.toContain('--reason');
    await scene.ask('U0ADA00001', { id: 'a2' });
    expect((await scene.approval('a2'))?.shown).not.toHaveProperty('reason');
  });

  it('the command’s own wording', async () => {
    const wants = { says: 'open vault 7', about: 'main' };
    const observe = async () => ({ bound: {}, shown: [], wants });
    scene.configure('', [scene.vault('vault open', { approval: { observe } })]);
    await scene.ask();
    expect((await scene.approval())?.shown).toMatchObject({ wants });
    scene.configure();
    await scene.ask('U0ADA00001', { id: 'a2' });
    expect((await scene.approval('a2'))?.shown).not.toHaveProperty('wants');
  });

  it('no arguments for asking again, unless the command supports it', async () => {
    await scene.ask();
    expect((await scene.approval())?.shown).toMatchObject({ again: '' });
    scene.configure('', [scene.vault('vault open', { approval: { asksAgain: true } })]);
    await scene.ask('U0ADA00001', { id: 'a2' });
    expect((await scene.approval('a2'))?.shown).toMatchObject({ again: '{"why":"fire"}' });
  });
});

describe('the author of what is requested', () => {
  const by = (authors: readonly string[], policy: string) => {
    const observe = async () => ({ bound: {}, shown: [], authors: authors.map(idOf) });
    scene.configure(`approvals:\n  risky: { ${policy} }\n`, [scene.vault('vault open', { approval: { observe } })]);
  };

  it('decides like everyone else, unless the policy says no', async () => {
    by(['grace'], 'count: 1');
    await scene.ask();
    expect(await scene.approval()).toMatchObject({ authors: [idOf('grace')], policy: { authorsCount: true } });
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });

  it('does not decide if the policy says so', async () => {
    by(['ada', 'grace'], 'authorsCount: false');
    await scene.ask();
    await expect(scene.click('U0GRACE001')).rejects.toThrow('You wrote part of this');
    await scene.click('U0LINUS001');
    expect(await state()).toBe('done');
  });

  it('never approves their own request', async () => {
    by(['ada'], 'requesterCounts: true');
    await scene.ask();
    expect((await scene.approval())?.policy.requesterCounts).toBe(false);
    await expect(scene.click('U0ADA00001')).rejects.toThrow('Someone else');
    by(['linus'], 'requesterCounts: true');
    await scene.ask('U0ADA00001', { id: 'a2' });
    expect((await scene.approval('a2'))?.policy.requesterCounts).toBe(true);
  });
});

describe('an unknown author', () => {
  const unknown = (policy: string) => {
    const observe = async () => ({ bound: {}, shown: [], unsure: ['commit 0a1b2c3d4e'] });
    scene.configure(`approvals:\n  risky: { ${policy} }\n`, [scene.vault('vault open', { approval: { observe } })]);
  };

  it('may be the requester, who then does not count', async () => {
    unknown('requesterCounts: true');
    await scene.ask();
    await expect(scene.click('U0ADA00001')).rejects.toThrow('Someone else');
    await scene.click('U0GRACE001');
    expect(await state()).toBe('done');
  });

  it('may be anyone if authors do not count: then an admin other than the requester decides', async () => {
    unknown('authorsCount: false, requesterCounts: true');
    await scene.link('U0BOSS0001', 'linus');
    await expect(scene.ask('U0BOSS0001')).rejects.toThrow('nobody in');
    await scene.ask();
    for (const user of ['U0GRACE001', 'U0ADA00001'])
      await expect(scene.click(user)).rejects.toThrow('Only admins other than the requester can decide this.');
    await scene.click('U0BOSS0001');
    expect(await state()).toBe('done');
  });

  it.each([
    [1, 'c1'],
    [5, 'c1, c2, c3, c4, c5'],
    [6, 'c1, c2, c3, c4, c5 and 1 more'],
    [8, 'c1, c2, c3, c4, c5 and 3 more'],
  ])('is named on the card by what they wrote: %s commits', async (count, words) => {
    const unsure = Array.from({ length: count }, (_, at) => `c${at + 1}`);
    const observe = async () => ({ bound: {}, shown: [], unsure });
    scene.configure('approvals:\n  risky: { authorsCount: false }\n', [
      scene.vault('vault open', { approval: { observe } }),
    ]);
    await scene.ask();
    const says = `The forge doesn’t know who wrote ${words}, so only an admin other than the requester can decide.`;
    expect((await scene.approval())?.shown).toMatchObject({ observed: [['Unknown authors', says]] });
  });

  it('is not asked about where no admin could decide', async () => {
    unknown('authorsCount: false');
    scene.channels.set('C0ROOM0001', { kind: 'private', name: 'room' });
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0GRACE001']);
    await expect(scene.ask()).rejects.toThrow('one other admin, but nobody in');
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0BOSS0001']);
    await scene.ask();
    expect(await state()).toBe('open');
  });
});

describe('an agent’s request', () => {
  const agent = async (more: Partial<Agent> = {}): Promise<Agent> => {
    const account = await scene.at.store.accounts.get(ada);
    const made = await scene.at.store.agents.put({
      ...ada,
      id: 'releasebot01',
      name: 'Release bot',
      may: ['*'],
      repos: [],
      meant: {},
      pace: 10,
      channel: 'C0ROOM0001',
      login: 'ada',
      forgeUserId: account?.forgeUserId ?? null,
      linkedAt: account?.linkedAt ?? 0,
      expiresAt: scene.at.now() + 86_400_000,
      ...more,
    });
    return made.agent;
  };

  it('needs someone other than its person, and is recorded with its name', async () => {
    const bot = await agent();
    scene.configure('approvals:\n  risky: { requesterCounts: true, count: 0 }\n');
    const answer = await scene.ask('U0ADA00001', { agent: bot });
    expect(answer?.text).toBe('Waiting for approval by one other maintainer. Nothing has run yet.');
    expect(await scene.approval()).toMatchObject({
      agent: { name: 'Release bot' },
      policy: { requesterCounts: false },
    });
    await expect(scene.click('U0ADA00001')).rejects.toThrow('what your agent asked for');
    await scene.click('U0GRACE001');
    expect(scene.rows.at(-1)).toMatchObject({ agent: { name: 'Release bot' }, outcome: 'done' });
    expect(scene.answers.at(-1)?.text).toContain('request of your agent Release bot');
  });

  it('sends nothing more once the agent is revoked while it runs', async () => {
    const bot = await agent();
    await scene.ask('U0ADA00001', { agent: bot });
    scene.world.run = () => scene.at.store.agents.remove(bot.id);
    await scene.click('U0GRACE001');
    expect(await scene.approval()).toMatchObject({ result: { summary: 'This agent was revoked.' } });
    expect(scene.sent()).toEqual([]);
  });

  it('does not wait if it is harmless', async () => {
    scene.configure('', [scene.vault('vault open', { risk: 'write' })]);
    expect(await scene.ask('U0ADA00001', { agent: await agent() })).toBeUndefined();
  });

  it('keeps the number the policy requires', async () => {
    scene.configure('approvals:\n  risky: { count: 2 }\n');
    await scene.ask('U0ADA00001', { agent: await agent() });
    expect((await scene.approval())?.policy.needed).toBe(2);
  });

  it('is not run once the agent was revoked or has expired', async () => {
    const bot = await agent({ expiresAt: scene.at.now() + 1_000 });
    await scene.ask('U0ADA00001', { agent: bot });
    scene.at.pass(1_000);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('This agent has expired.');
    await scene.at.store.agents.remove(bot.id);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('This agent was revoked.');
    expect(scene.sent()).toEqual([]);
  });

  it('is not run once its command is closed to agents', async () => {
    await scene.ask('U0ADA00001', { agent: await agent() });
    scene.configure('', [scene.vault('vault open', { notForAgents: 'People open it.' })]);
    expect((await scene.click('U0GRACE001'))?.text).toContain('This agent can’t use vault open.');
    expect((await scene.approval())?.state).toBe('withdrawn');
    expect(scene.sent()).toEqual([]);
  });

  it('is not even requested if it would touch another repository', async () => {
    const about = { repositories: () => [{ owner: 'acme', repo: 'website' }] };
    scene.configure('', [scene.vault('vault open', about)]);
    const asking = scene.ask('U0ADA00001', { agent: await agent({ repos: ['acme/website'] }) });
    await expect(asking).rejects.toThrow('limited to `acme/website` and cannot use acme/engine');
    expect(scene.sent()).toEqual([]);
  });

  it('ends with a message that names it', async () => {
    await scene.ask('U0ADA00001', { agent: await agent() });
    scene.world.state = 'open';
    await scene.click('U0GRACE001');
    expect(scene.answers.at(-1)?.text).toContain('The request of your agent Release bot');
    expect(scene.rows.at(-1)).toMatchObject({ agent: { name: 'Release bot' } });
  });
});

describe('a denial', () => {
  it('shows its reason to the requester, on the card and in the audit', async () => {
    await scene.ask();
    await scene.click('U0GRACE001', 'deny', { note: 'Not on a Friday' });
    expect(scene.answers).toMatchObject([
      { text: expect.stringMatching(/grace denied your request to .*: Not on a Friday$/) },
    ]);
    expect(scene.rows).toMatchObject([{ detail: 'denied by U0GRACE001: Not on a Friday', login: 'ada' }]);
    expect(JSON.stringify(scene.posted.at(-1)?.message)).toContain('Not on a Friday');
  });

  it('without a reason names the person', async () => {
    await scene.ask();
    await scene.click('U0GRACE001', 'deny');
    expect(scene.answers[0]?.text).toMatch(/grace denied your request to .*\.$/);
  });
});

describe('a refused click', () => {
  it('is recorded with who clicked, and no approval', async () => {
    await scene.ask();
    await expect(scene.click('U0ADA00001')).rejects.toThrow(UserError);
    expect(scene.rows).toMatchObject([
      {
        login: 'ada',
        args: { why: 'fire' },
        operations: [],
        detail: expect.stringMatching(/^approve refused: /),
        approval: { id: 'a1', approvers: [] },
      },
    ]);
    await expect(scene.click('U0NOBODY01')).rejects.toThrow('can decide this');
    expect(scene.rows.at(-1)?.login).toBe('');
  });

  it('is not recorded if the forge could not be asked', async () => {
    await scene.ask();
    scene.world.observe = () => {
      throw new ApiError({ kind: 'unavailable', operation: 'issues.get' });
    };
    await expect(scene.click('U0GRACE001')).rejects.toThrow(ApiError);
    expect(scene.rows).toEqual([]);
  });

  it.each([
    ['done', 'already approved, and it was run'],
    ['denied', 'already denied'],
    ['withdrawn', 'already withdrawn'],
  ] as const)('says what it is when it is %s, even after it expired', async (end, words) => {
    await scene.ask();
    if (end === 'done') await scene.click('U0GRACE001');
    if (end === 'denied') await scene.click('U0GRACE001', 'deny');
    if (end === 'withdrawn') await scene.click('U0ADA00001', 'withdraw');
    scene.at.pass(3_600_000);
    await expect(scene.click('U0LINUS001')).rejects.toThrow(words);
  });
});

describe('the policy', () => {
  it('weighs a command by its arguments', async () => {
    const riskOf = (args: Readonly<Record<string, unknown>>) => (args['why'] === 'fire' ? 'risky' : 'write');
    scene.configure('', [scene.vault('vault open', { risk: 'write', riskOf })]);
    expect(await scene.ask()).toBeDefined();
    expect(await scene.ask('U0ADA00001', { id: 'a2', args: { why: 'air' } })).toBeUndefined();
  });

  it('of the command itself takes precedence', async () => {
    const policy = () => ({ said: { count: 2, expires: 60 }, source: 'deployments.production' });
    scene.configure('approvals:\n  risky: { count: 1 }\n', [scene.vault('vault open', { approval: { policy } })]);
    await scene.ask();
    expect((await scene.approval())?.policy).toMatchObject({ needed: 2, expiresAt: scene.at.now() + 60_000 });
  });

  it('of the command itself requires one person even if it names none and nothing is risky', async () => {
    const policy = () => ({ said: {}, source: 'deployments.production' });
    scene.configure('', [scene.vault('vault open', { risk: 'write', approval: { policy } })]);
    await scene.ask();
    expect((await scene.approval())?.policy.needed).toBe(1);
  });

  it('is asked about the command’s branches for a rule with a branch', async () => {
    const rules = 'approvals:\n  rules:\n    - { command: vault open, branch: main, count: 2 }\n';
    const branches = async () => ['main'];
    scene.configure(rules, [scene.vault('vault open', { risk: 'write', approval: { branches } })]);
    await scene.ask();
    expect((await scene.approval())?.policy.needed).toBe(2);
    const others = async () => ['other'];
    scene.configure(rules, [scene.vault('vault open', { risk: 'write', approval: { branches: others } })]);
    expect(await scene.ask('U0ADA00001', { id: 'a2' })).toBeUndefined();
    scene.configure(rules, [scene.vault('vault open', { risk: 'write' })]);
    expect(await scene.ask('U0ADA00001', { id: 'a3' })).toBeUndefined();
  });

  it('requires one person for a rule that says nothing else', async () => {
    scene.configure('approvals:\n  rules:\n    - { command: vault open, expires: 2h }\n', [
      scene.vault('vault open', { risk: 'write' }),
    ]);
    await scene.ask();
    expect((await scene.approval())?.policy).toMatchObject({ needed: 1, authorsCount: true });
  });
});

describe('where it is posted', () => {
  const says = async (given: Parameters<typeof scene.ask>[1]) =>
    scene.ask('U0ADA00001', given).then(
      () => 'asked',
      (error: Error) => error.message,
    );

  it('is refused with an explanation if that is not possible', async () => {
    scene.channels.set('C0AWAY0001', { member: false, name: 'away' });
    scene.channels.set('C0OLD00001', { archived: true, name: 'old' });
    expect(await says({ channel: null })).toContain('Run it in a channel where they can see it');
    expect(await says({ channel: 'D0ADA00001' })).toContain('Run it in a channel where they can see it');
    expect(await says({ channel: 'C0AWAY0001' })).toMatch(/I’m not in .*away.*\/invite/);
    expect(await says({ channel: 'C0OLD00001' })).toMatch(/old.* is archived\. Run it in another channel/);
    expect(await says({ channel: 'C0NONE0001' })).toContain('I’m not in');
    expect(await says({ channel: 'C0ROOM000D' })).toContain('I’m not in');
  });

  it('says how many could decide if they are too few', async () => {
    scene.channels.set('C0ROOM0001', { kind: 'private', name: 'room' });
    scene.members.set('C0ROOM0001', ['U0ADA00001']);
    expect(await says({})).toMatch(/nobody in .*room/);
    scene.members.set('C0ROOM0001', ['U0ADA00001', 'U0GRACE001']);
    scene.configure('approvals:\n  risky: { count: 2 }\n');
    expect(await says({})).toMatch(/only 1 in .*room/);
  });
});
