import { mock } from 'node:test';
import { describe, expect, it } from 'vitest';
import { readAsk } from '../../../src/chat/approval/readied.js';
import { announce, runApproved } from '../../../src/chat/approval/run.js';
import type { Context } from '../../../src/chat/context.js';
import { request } from '../../../src/chat/request.js';
import type { ApprovalDeps } from '../../../src/chat/runtime.js';
import { UserError } from '../../../src/errors.js';
import { type Api, ApiError } from '../../../src/forge/index.js';
import { createLog } from '../../../src/log.js';
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
    expect(scene.posted.map(({ version }) => version.split('-')[0])).toEqual(['open', 'done']);
  });

  it('is recorded with how long it took', async () => {
    await approvedOnly();
    const started = performance.now();
    await scene.sweep();
    expect(scene.rows[0]?.durationMs).toBeLessThanOrEqual(Math.ceil(performance.now() - started));
  });

  it('is recorded under the requester’s name, even if they have signed out', async () => {
    await approvedOnly();
    await scene.signOut('U0ADA00001');
    await refused('no longer linked');
    expect(scene.rows).toMatchObject([{ login: 'ada', operations: [] }]);
  });

  it('is not sent when its arguments can no longer be read', async () => {
    await approvedOnly();
    await scene.at.redis.hdel('bellows:{f0:approvals}:item:a1', 'args');
    await refused('This request can no longer be read. Run the command again.');
  });

  it('is not sent if someone denied it before it was approved', async () => {
    await scene.ask();
    const linus = await scene.at.store.accounts.get({ team, user: 'U0LINUS001' });
    const by = { team, user: 'U0LINUS001', login: 'linus', forgeUserId: linus?.forgeUserId ?? null };
    expect(await approvals().decide('a1', { by, verdict: 'deny' })).toBe('denied');
    await scene.at.redis.hset('bellows:{f0:approvals}:item:a1', 'state', 'open');
    expect(await approvals().decide('a1', { by: await grace(), verdict: 'approve' })).toBe('approved');
    await refused('it was denied.');
  });

  it('is not sent if it has ended before', async () => {
    await scene.ask();
    await approvals().cancel('a1', 'because');
    await scene.at.redis.hset('bellows:{f0:approvals}:item:a1', 'state', 'open');
    expect(await approvals().decide('a1', { by: await grace(), verdict: 'approve' })).toBe('approved');
    await refused('it has ended.');
  });

  it('may consist of several requests, if the details showed each', async () => {
    const edits = (['open', 'closed'] as const).map((state) => ({
      owner: 'acme',
      repo: 'engine',
      index: 2,
      body: { state },
    }));
    scene.configure('', [
      scene.vault('vault open', {
        plan: () => edits.map((each) => request('issues.edit', each)),
        async run(_args, { api }) {
          for (const each of edits) await api.issues.edit(each);
        },
      }),
    ]);
    await approvedOnly();
    await scene.sweep();
    expect((await scene.approval())?.state).toBe('done');
    expect(scene.sent()).toHaveLength(2);
  });

  /** A command that only keeps what it got. */
  const watched = (seen: Context[]) =>
    scene.vault('vault open', { run: async (_args, context) => void seen.push(context) });

  it('runs where it was requested, and knows who approved it and what its card may show', async () => {
    const seen: Context[] = [];
    scene.configure('', [watched(seen)]);
    await approvedOnly();
    await scene.sweep();
    expect(seen.map(({ channel }) => channel)).toEqual(['C0ROOM0001']);
    expect(seen[0]?.approval).toEqual({ id: 'a1', approvers: [await grace()] });
    const mayShow = (repo: string) => seen[0]?.mayShow({ owner: 'acme', repo });
    Object.assign(scene.deps, {
      exposed: async (repository?: { repo: string }) => {
        if (repository?.repo === 'gone') throw new Error('the forge is down');
        return repository?.repo === 'vault' ? 'Not here.' : undefined;
      },
    });
    expect(await mayShow('engine')).toBe(true);
    expect(await mayShow('vault')).toBe(false);
    expect(await mayShow('gone')).toBe(false);
  });

  it('runs outside any channel if it was requested outside any', async () => {
    const seen: Context[] = [];
    scene.configure('approvals:\n  risky: { channel: C0ROOM0001 }\n', [watched(seen)]);
    await scene.ask('U0ADA00001', { channel: null });
    await scene.click('U0GRACE001');
    expect(seen.map(({ channel }) => channel)).toEqual([undefined]);
  });

  it.each([
    ['the last of its notes', ['one', 'two', 'three'], 'three'],
    ['its only note', ['one'], 'one'],
    ['no note', [], undefined],
  ])('leaves a mark with %s before it is sent', async (_what, notes, kept) => {
    scene.configure('', [
      scene.vault('vault open', {
        async run(_args, { api, remember }) {
          for (const note of notes) remember(note);
          await api.issues.edit({ owner: 'acme', repo: 'engine', index: 2, body: { state: 'closed' } });
        },
      }),
    ]);
    await approvedOnly();
    await scene.sweep();
    expect((await scene.at.store.jobs.markOf('approval-a1', 'sent'))?.note).toBe(kept);
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

  describe('whose token the forge refused once', () => {
    const item = { owner: 'acme', repo: 'engine', index: 2 };
    const on = 'GET /repos/{owner}/{repo}/issues/{index}';
    const runs = async (then: (error: unknown) => unknown) => {
      scene.configure('', [
        scene.vault('vault open', {
          run: (_args, { api }) => {
            scene.forge.faults.add({ on, times: 1, trouble: { status: 401 } });
            return api.issues.get(item).then(() => undefined, then);
          },
        }),
      ]);
      await approvedOnly();
      await scene.sweep();
    };

    it.each([
      ['the command', new UserError('The lock is rusty.')],
      ['the forge, which has no such issue', new ApiError({ kind: 'notFound', operation: 'issues.edit', status: 404 })],
    ])('does not ask the requester to link again if it failed because of %s', async (_whom, error) => {
      await runs(() => Promise.reject(error));
      expect((await scene.approval())?.state).toBe('failed');
      expect((await scene.approval())?.result?.summary).not.toContain('token');
      expect(scene.relinks).toEqual([]);
    });

    it('asks nobody to link again who has signed out since', async () => {
      await runs(async (error) => {
        await scene.signOut('U0ADA00001');
        throw error;
      });
      expect(await scene.approval()).toMatchObject({
        state: 'failed',
        result: { summary: 'The requester’s forge token no longer works.' },
      });
      expect(scene.relinks).toEqual([]);
    });
  });

  it('does not blame the requester’s token if it worked and another one did not', async () => {
    scene.configure('', [
      scene.vault('vault open', {
        async run(_args, { api }) {
          await api.issues.get({ owner: 'acme', repo: 'engine', index: 2 });
          throw new ApiError({ kind: 'unauthorized', operation: 'repos.get' });
        },
      }),
    ]);
    await approvedOnly();
    await scene.sweep();
    expect((await scene.approval())?.result?.summary).toContain('A token that Bellows needs for this');
    expect(scene.relinks).toEqual([]);
  });

  it('fails with a reference if not even its preparation works', async () => {
    await approvedOnly();
    Object.assign(scene.deps.services.roles, {
      of: () => {
        throw new Error('undefined is not a function');
      },
    });
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({
      state: 'failed',
      result: { summary: expect.stringMatching(/bug in Bellows.*reference/) },
    });
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

  it('is looked up again after a pause if it is not there yet', async () => {
    await cutOff();
    await scene.at.store.jobs.mark('approval-a1', 'sent');
    scene.at.pass(1_000);
    const looks: number[] = [];
    const later = async () => {
      looks.push(performance.now());
      return looks.length === 1 ? undefined : 'there';
    };
    scene.configure('', [scene.vault('vault open', { findDone: later })]);
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'done', result: { summary: 'The vault is open.' } });
    expect(looks).toHaveLength(2);
    // a timer may end a moment early
    expect((looks[1] ?? 0) - (looks[0] ?? 0)).toBeGreaterThan(90);
    expect(scene.sent()).toEqual([]);
  });

  it('is looked up if another worker sent it at the same time', async () => {
    await approvedOnly();
    scene.world.found = 'there';
    scene.world.run = () => scene.at.store.jobs.mark('approval-a1', 'sent');
    await scene.sweep();
    expect(await scene.approval()).toMatchObject({ state: 'done', result: { summary: 'The vault is open.' } });
    expect(scene.sent()).toEqual([]);
  });

  it('ends unknown if nobody can tell whether it was sent', async () => {
    await cutOff();
    await scene.at.store.jobs.mark('approval-a1', 'sent');
    scene.at.pass(1_000);
    const slow = async () => {
      // the forge takes so long to answer that nobody asks again
      const { now } = performance;
      mock.method(performance, 'now', () => now.call(performance) + 30_000);
      return 'unknowable' as const;
    };
    scene.configure('', [scene.vault('vault open', { findDone: slow })]);
    await scene.sweep().finally(() => mock.restoreAll());
    expect(await scene.approval()).toMatchObject({
      state: 'unknown',
      result: { summary: expect.stringContaining('vault open') },
    });
    expect(scene.answers).toMatchObject([{ user: 'U0ADA00001', rank: 'unknown' }]);
    expect(scene.rows).toMatchObject([{ outcome: 'unknown' }]);
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

describe('running one', () => {
  /** The same, with other approvals. */
  const withApprovals = (more: Partial<ReturnType<typeof approvals>>): ApprovalDeps => {
    const { services } = scene.deps;
    const store = { ...services.store, approvals: { ...services.store.approvals, ...more } };
    return { ...scene.deps, services: { ...services, store } };
  };

  it('does nothing while it is open', async () => {
    await scene.ask();
    await runApproved(scene.deps, 'a1');
    expect((await scene.approval())?.state).toBe('open');
    expect(scene.rows).toEqual([]);
  });

  it('does nothing once it is gone', async () => {
    await approvedOnly();
    await runApproved(withApprovals({ get: async () => undefined }), 'a1');
    expect(scene.rows).toEqual([]);
    await announce(scene.deps, 'a9');
    expect(scene.answers).toEqual([]);
  });

  it('leaves it to the worker that took it over', async () => {
    await approvedOnly();
    scene.world.run = async () => {
      scene.at.pass(60_000);
      expect(await approvals().claim('a1', 60_000)).toBeDefined();
    };
    await runApproved(scene.deps, 'a1');
    expect((await scene.approval())?.state).toBe('running');
    expect([scene.sent(), scene.answers, scene.rows]).toEqual([[], [], []]);
  });

  it('fails if the audit cannot be written, so that it is taken up again', async () => {
    await approvedOnly();
    Object.assign(scene.deps, { record: () => Promise.reject(new Error('the disk is full')) });
    await expect(runApproved(scene.deps, 'a1')).rejects.toThrow('the disk is full');
    expect((await scene.approval())?.state).toBe('running');
  });

  it('keeps its hold three times as often as needed, until it is done', async () => {
    await approvedOnly();
    let renewed = 0;
    const renew = async () => {
      renewed += 1;
      return true;
    };
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      scene.world.run = () => {
        mock.timers.tick(60_000);
        expect(renewed).toBe(3);
      };
      await runApproved(withApprovals({ renew }), 'a1');
      expect((await scene.approval())?.state).toBe('done');
      const before = renewed;
      mock.timers.tick(60_000);
      expect(renewed).toBe(before);
    } finally {
      mock.timers.reset();
    }
  });
});

describe('reading a request again', () => {
  it('takes an account without an id for nobody’s, even if the request has none either', async () => {
    await scene.ask();
    const approval = await scene.approval();
    if (!approval) throw new Error('no approval');
    await scene.link('U0ADA00001', 'ada', { forgeUserId: null });
    const reading = readAsk(scene.deps, { ...approval, requester: { ...approval.requester, forgeUserId: null } });
    await expect(reading).rejects.toThrow('linked another forge account');
  });

  it.each([null, 'text', 7])('takes %j for no arguments', async (args) => {
    await scene.ask();
    const approval = await scene.approval();
    if (!approval) throw new Error('no approval');
    await approvals().create({ ...approval, id: 'a2' }, args);
    await expect(readAsk(scene.deps, { ...approval, id: 'a2' })).rejects.toThrow('can no longer be read');
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

  it('announces a denial whose vote someone removed from Redis, without a name', async () => {
    await scene.ask();
    await approvals().decide('a1', { by: await grace(), verdict: 'deny' });
    await scene.at.redis.hdel('bellows:{f0:approvals}:item:a1', `by ${team}/U0GRACE001`);
    await scene.sweep();
    expect(scene.answers).toMatchObject([{ text: expect.stringMatching(/^Someone denied your request to .*\.$/) }]);
    expect(scene.rows).toMatchObject([{ detail: 'denied by unknown' }]);
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
    const lines: string[] = [];
    const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
    Object.assign(scene.deps.services, { log });
    await scene.sweep();
    expect((await scene.approval('a2'))?.state).toBe('expired');
    expect(lines).toEqual([expect.stringMatching(/"approval":"a1".*could not be processed/)]);
  });
});
