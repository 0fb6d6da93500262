import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/chat/context.js';
import { UserError } from '../../../src/errors.js';
import { type Api, ApiError } from '../../../src/forge/index.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();
const approvals = () => scene.at.store.approvals;
const grace = async () => {
  const account = await scene.at.store.accounts.get({ team, user: 'U0GRACE001' });
  return { team, user: 'U0GRACE001', login: 'grace', forgeUserId: account?.forgeUserId ?? null };
};

/** Approved, but the process died before running it. */
async function approvedOnly(): Promise<void> {
  await scene.ask();
  expect(await approvals().decide('a1', { by: await grace(), verdict: 'approve' })).toBe('approved');
}

const refused = async (words: string) => {
  await scene.sweep();
  expect(await scene.approval()).toMatchObject({
    state: 'failed',
    result: { refused: true, summary: expect.stringContaining(words) },
  });
  expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining(words), rank: 'known' }]);
  expect(scene.rows).toMatchObject([{ outcome: 'refused', detail: expect.stringContaining(words) }]);
  expect(scene.sent()).toEqual([]);
};

describe('an approved command that nobody ran', () => {
  it('is picked up by the sweep, once', async () => {
    await approvedOnly();
    await scene.sweep();
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('done');
    expect(scene.sent()).toHaveLength(1);
    expect(scene.answers).toHaveLength(1);
  });

  it('is not sent once it has expired', async () => {
    await approvedOnly();
    scene.at.pass(3_600_000);
    await refused('expired before it could be run');
  });

  it('is not sent when its subject changed', async () => {
    await approvedOnly();
    scene.world.state = 'open';
    await refused('state was shut, now open');
  });

  it('is not sent when the requester may no longer ask', async () => {
    await approvedOnly();
    scene.configure('approvals:\n  risky: { ask: admin }\n');
    await refused('no longer allowed');
  });

  it('is not sent when its subject has gained something that was not shown', async () => {
    await approvedOnly();
    const observe = async () => ({ bound: { state: 'shut', guards: 2 }, shown: [] });
    scene.configure('', [scene.vault('vault open', { approval: { observe } })]);
    await refused('guards was unset, now 2');
  });

  it('is not sent when the forge refused the requester’s token', async () => {
    await approvedOnly();
    const ada = { team, user: 'U0ADA00001' };
    await scene.at.store.accounts.markRevoked(ada, (await scene.at.store.accounts.get(ada))?.linkedAt ?? 0);
    await refused('no longer linked');
  });

  it('is not sent when its card may no longer be shown where it is', async () => {
    await approvedOnly();
    scene.world.refusal = 'Everyone can read this channel.';
    await refused('Everyone can read this channel.');
  });

  it('is not sent when an approval no longer counts', async () => {
    await approvedOnly();
    await scene.link('U0GRACE001', 'linus');
    await refused('an approval no longer counts');
  });

  it('is not sent when someone else wrote the approval into Redis', async () => {
    await scene.ask();
    await scene.at.redis.hset('bellows:{f0:approvals}:item:a1', 'state', 'approved');
    await scene.at.redis.zadd('bellows:{f0:approvals}:active', 0, 'a1');
    await refused('an approval no longer counts');
  });

  it('is not sent with another account than the requester’s', async () => {
    await approvedOnly();
    await scene.link('U0ADA00001', 'linus');
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({
      state: 'failed',
      result: { summary: expect.stringContaining('another forge account') },
    });
    expect(scene.sent()).toEqual([]);
  });

  it.each([
    ['signed out', () => scene.signOut('U0ADA00001'), 'no longer linked as it was'],
    ['linked another account', () => scene.link('U0ADA00001', 'linus'), 'no longer linked as it was'],
    [
      'lost the role',
      () => Object.assign(scene.deps.services.roles, { fresh: async () => 'everyone' }),
      'Only maintainers can use `vault open`',
    ],
  ])('sends nothing more for a requester who %s while it ran', async (_what, lose, words) => {
    await approvedOnly();
    scene.world.run = lose;
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ result: { summary: expect.stringContaining(words) } });
    expect(scene.sent()).toEqual([]);
  });

  const close = { owner: 'acme', repo: 'engine', index: 2, body: { state: 'closed' } } as const;
  it.each([
    ['another operation with the same values', (api: Api) => api.pulls.edit(close)],
    ['another number', (api: Api) => api.issues.edit({ ...close, index: 3 })],
    ['another value', (api: Api) => api.issues.edit({ ...close, body: { state: 'open' } })],
    ['one value more', (api: Api) => api.issues.edit({ ...close, body: { state: 'closed', title: 'Ours' } })],
  ])('sends nothing but what the details showed: not %s', async (_what, send) => {
    scene.configure('', [scene.vault('vault open', { run: (_args: unknown, { api }: Context) => send(api) })]);
    await approvedOnly();
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ result: { summary: expect.stringContaining('it changed while') } });
    expect(scene.forge.requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('reports a refusal by the command unchanged, and hides unexpected errors', async () => {
    await approvedOnly();
    scene.world.run = () => {
      throw new UserError('The lock is rusty.');
    };
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'failed', result: { summary: 'The lock is rusty.' } });
    expect((await scene.approval())?.result?.refused).toBeUndefined();
    scene.world.run = () => {
      throw new Error('undefined is not a function');
    };
    await scene.ask('U0ADA00001', { id: 'a2' });
    await scene.click('U0GRACE001', 'approve', { id: 'a2' });
    expect(await scene.approval('a2')).toMatchObject({
      state: 'failed',
      result: { summary: expect.stringMatching(/failed because of a bug in Bellows.*reference.*[0-9a-f]{8}/) },
    });
  });

  const fails = async (trouble: Parameters<typeof scene.forge.faults.add>[0]['trouble']) => {
    scene.configure('', [scene.vault('vault open', { effect: 'idempotent' })]);
    await approvedOnly();
    scene.forge.faults.add({ on: 'PATCH /repos/{owner}/{repo}/issues/{index}', times: 5, trouble });
    await scene.sweep();
    return scene.approval();
  };

  it('says in plain words why the forge refused, to each reader', async () => {
    expect(await fails({ status: 403 })).toMatchObject({
      state: 'failed',
      result: { summary: expect.stringContaining('The requester doesn’t have permission to update the issue') },
    });
    expect(scene.answers).toMatchObject([
      {
        user: 'U0ADA00001',
        text: expect.stringContaining('You don’t have permission to update the issue'),
        rank: 'known',
      },
    ]);
    expect(JSON.stringify([scene.answers, scene.rows, scene.posted])).not.toContain('issues.edit: ');
    expect(scene.relinks).toEqual([]);
  });

  it('does not say that it failed if it may have worked', async () => {
    const lost = 'It may have worked anyway: check the forge before you try again.';
    expect(await fails({ status: 502 })).toMatchObject({
      state: 'unknown',
      result: { summary: expect.stringContaining(lost) },
    });
    expect(scene.answers).toMatchObject([{ text: expect.stringContaining(lost), rank: 'unknown' }]);
    expect(scene.answers[0]?.text).not.toContain('failed');
    expect(scene.rows).toMatchObject([{ outcome: 'unknown' }]);
  });

  it('asks the requester to link again if their token no longer works', async () => {
    expect(await fails({ status: 401 })).toMatchObject({
      state: 'failed',
      result: { summary: 'The requester’s forge token no longer works.' },
    });
    expect(scene.relinks).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining('Link again') }]);
    expect((await scene.at.store.accounts.get({ team, user: 'U0ADA00001' }))?.state).toBe('revoked');
  });

  it('does not ask them to link again if another token no longer works', async () => {
    await approvedOnly();
    scene.world.run = () => {
      throw new ApiError({ kind: 'unauthorized', operation: 'repos.get' });
    };
    await scene.sweep();
    const summary = 'A token that Bellows needs for this no longer works. Ask a Bellows admin to check it.';
    expect(await scene.approval()).toMatchObject({ state: 'failed', result: { summary } });
    expect(scene.relinks).toEqual([]);
    expect((await scene.at.store.accounts.get({ team, user: 'U0ADA00001' }))?.state).toBe('active');
  });

  it('keeps a secret answer off the card', async () => {
    scene.configure('', [scene.vault('vault open', { confidential: true, reply: () => say(md`The code is 1234.`) })]);
    await scene.ask();
    await scene.click('U0GRACE001');
    expect((await scene.approval())?.result?.summary).toBe('The answer went to the requester.');
    expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: 'The code is 1234.' }]);
    expect(JSON.stringify([scene.posted, scene.rows])).not.toContain('1234');
  });
});

describe('an interrupted run', () => {
  const cutOff = async () => {
    await approvedOnly();
    await approvals().claim('a1', 1_000);
  };

  it('is left alone while someone holds it, and picked up afterwards', async () => {
    await cutOff();
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('running');
    scene.at.pass(1_000);
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('done');
    expect(scene.sent()).toHaveLength(1);
  });

  it('is looked up, never sent again, if it may happen only once', async () => {
    await cutOff();
    await scene.at.store.jobs.mark('approval-a1', 'sent');
    scene.at.pass(1_000);
    scene.world.found = 'there';
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'done', result: { summary: 'The vault is open.' } });
    expect(scene.sent()).toEqual([]);
  });

  it('ends without details where its card may no longer show them, and tells the requester', async () => {
    await cutOff();
    await scene.at.store.jobs.mark('approval-a1', 'sent');
    scene.at.pass(1_000);
    Object.assign(scene.world, { found: 'there', refusal: 'Everyone can read this channel.' });
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'done', announced: 'done' });
    expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', text: expect.stringContaining('The vault is open.') }]);
    const card = JSON.stringify(scene.posted.at(-1));
    expect(card).toContain('The details went to the requester.');
    expect(card).not.toContain('The vault is open.');
  });

  it('ends without details if nobody can tell what it was about', async () => {
    await cutOff();
    scene.at.pass(1_000);
    scene.configure('', [scene.vault('vault shut')]);
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'failed', announced: 'failed', result: { refused: true } });
    expect(scene.answers).toMatchObject([{ text: expect.stringContaining('This command has changed') }]);
    expect(JSON.stringify(scene.posted.at(-1))).toContain('The details went to the requester.');
  });

  it('is sent again if it may be repeated, unless something changed since', async () => {
    scene.configure('', [scene.vault('vault open', { effect: 'idempotent' })]);
    await cutOff();
    await scene.at.store.jobs.mark('approval-a1', 'sent');
    scene.at.pass(1_000);
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('done');
    expect(scene.sent()).toHaveLength(1);
  });

  it('is looked up, even if it may be repeated, when its subject has changed', async () => {
    scene.configure('', [scene.vault('vault open', { effect: 'idempotent' })]);
    await cutOff();
    await scene.at.store.jobs.mark('approval-a1', 'sent');
    scene.at.pass(1_000);
    Object.assign(scene.world, { state: 'open', found: 'there' });
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('done');
    expect(scene.sent()).toEqual([]);
  });

  it('leaves a mark before a repeatable write is sent', async () => {
    scene.configure('', [scene.vault('vault open', { effect: 'idempotent' })]);
    await scene.ask();
    await scene.click('U0GRACE001');
    expect(await scene.at.store.jobs.markOf('approval-a1', 'sent')).toBeDefined();
  });
});

describe('the sweep', () => {
  it('ends what nobody decided in time, and announces it once', async () => {
    await scene.ask();
    scene.at.pass(3_600_000 - 1);
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('open');
    scene.at.pass(1);
    await scene.sweep();
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'expired', announced: 'expired' });
    expect(scene.answers).toMatchObject([{ text: expect.stringContaining('Nobody decided') }]);
    expect(scene.rows).toMatchObject([{ outcome: 'refused', detail: 'expired without a decision' }]);
    await expect(scene.click('U0GRACE001')).rejects.toThrow('expired');
  });

  it('announces decisions that were not announced; the audit has them once', async () => {
    await scene.ask();
    await approvals().decide('a1', { by: await grace(), verdict: 'deny' });
    await scene.sweep();
    expect(scene.posted.at(-1)?.version).toContain('denied');
    expect(scene.answers).toMatchObject([{ text: expect.stringContaining('denied') }]);
    expect(scene.rows).toHaveLength(1);
  });

  it('continues after one that fails', async () => {
    await approvedOnly();
    await scene.ask('U0LINUS001', { id: 'a2' });
    scene.at.pass(3_600_000);
    const { post } = scene.deps;
    Object.assign(scene.deps, {
      post: async (notice: Parameters<typeof post>[0]) => {
        if (notice.key === 'approval-a1') throw new Error('no');
        return post(notice);
      },
    });
    await scene.sweep();
    expect((await scene.approval('a2'))?.state).toBe('expired');
  });
});
