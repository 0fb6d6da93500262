import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { testKeys } from '../support/redis.js';
import { decideIn, group, people, repo, requestOn } from './deciding.js';
import { type Shown, talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
  maintainer:
    users: [U0ALAN0001]
    groups: [S0MAINT001]
approvals:
  commands:
    cron run: { count: 2, approve: maintainer }
    repo use: { count: 1, approve: maintainer }
    subscribe: { count: 1, approve: maintainer }
    mute: { count: 1, approve: maintainer }
    runner remove: { expires: 3s }
    issue edit: { count: 1, approve: maintainer, channel: C0SECRET01 }
    issue due: { count: 1, approve: maintainer, channel: C0HERMIT01 }
`;

let bellows: Bellows;
let store: Store;
let worker: Awaited<ReturnType<typeof startWorker>>;
const { type } = talkTo(() => bellows);
const { ask, cardSays, click, messaged, sent, stuck } = decideIn(() => bellows);
const work = () => startWorker(bellows.config, createLog({ level: 'silent' }), undefined, quickTempo);
const person = (user: string) => ({ team: bellows.slack.teamId, user });

beforeAll(async () => {
  const channels = [
    { id: 'C0GENERAL1', name: 'general' },
    { id: 'C0ENGINE01', name: 'engine' },
    { id: 'C0SECRET01', name: 'secret', kind: 'private' as const, bot: false },
    { id: 'C0HERMIT01', name: 'hermit', kind: 'private' as const, members: ['U0ADA00001', 'U0GUEST001'] },
  ];
  bellows = await startBellows({
    policy,
    slack: { seed: { users: people, channels, userGroups: [group] } },
    parts: ['bot'],
  });
  worker = await work();
  const redis = connect(bellows.redisUrl);
  await ready(redis);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
  await bellows.link('member', 'dependabot-bot');
});
afterAll(async () => {
  await worker.stop();
  await close(store.redis);
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const rowsOf = async (card: Shown, outcome: string) =>
  (await store.audit.read({ outcome }, { limit: 100 })).rows
    .map(({ entry }) => entry)
    .filter(({ job }) => job === requestOn(card));

/** Grace's vote is stored, and no worker has run what it released. */
async function voteWhileAway(card: Shown): Promise<void> {
  await worker.stop();
  const by = {
    ...person('U0GRACE001'),
    login: 'grace',
    forgeUserId: (await store.accounts.get(person('U0GRACE001')))?.forgeUserId ?? null,
  };
  expect(await store.approvals.decide(requestOn(card), { by, verdict: 'approve' })).toBe('approved');
}

async function relink(user: string, id: string, login: string): Promise<void> {
  await bellows.link(user, login);
  await expect.poll(async () => (await store.accounts.get(person(id)))?.login).toBe(login);
}

it('tells the whole story of an approved command in one row of the audit', async () => {
  const run = stuck('One row');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await bellows.slack.as('grace').click(card, 'Approve');
  await cardSays(card, '✅ Approved by');
  expect(await rowsOf(card, 'done')).toMatchObject([
    {
      who: { ...person('U0ADA00001'), login: 'ada' },
      approvedBy: [{ ...person('U0GRACE001'), login: 'grace' }],
      command: 'run force-cancel',
      args: { run: { owner: 'acme', repo: 'engine', run } },
      target: `${repo}#${run}`,
      operation: expect.stringContaining('runs.forceCancel'),
      status: 200,
      note: expect.stringContaining('Force-canceled'),
    },
  ]);
  const shown = words(await type('ada', 'audit run force-cancel --outcome done', 'general'));
  expect(shown).toContain(`${repo}#${run}`);
});

it('says that a decided request is decided, and requests nothing more', async () => {
  const run = stuck('Late click');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await bellows.slack.as('grace').click(card, 'Approve');
  await cardSays(card, '✅ Approved by');
  const heard = bellows.slack.as('ada').sees(bellows.slack.as('ada').dm).length;
  expect((await click('alan', card, 'Approve')).text).toContain('already approved, and it was run');
  expect(await rowsOf(card, 'refused')).toMatchObject([
    { who: { user: 'U0ALAN0001' }, args: { run: { run } }, note: expect.stringContaining('already approved') },
  ]);
  expect(bellows.slack.as('ada').sees(bellows.slack.as('ada').dm)).toHaveLength(heard);
});

it('records a refused click, and who denied', async () => {
  const run = stuck('Refused click');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  expect((await click('guest', card, 'Approve')).text).toContain('can decide this');
  const alan = bellows.slack.as('alan');
  await alan.click(card, 'Deny');
  await alan.submit();
  await cardSays(card, 'Denied');
  await messaged('ada', 'margaret denied your request');
  await expect.poll(() => rowsOf(card, 'refused')).toHaveLength(2);
  expect(await rowsOf(card, 'refused')).toMatchObject([
    { who: { user: 'U0ADA00001' }, args: { run: { run } }, note: 'denied by U0ALAN0001' },
    { who: { user: 'U0GUEST001' }, args: { run: { run } }, note: expect.stringContaining('approve refused') },
  ]);
});

it('is refused if the requester has linked another forge account since', async () => {
  const run = stuck('Another account');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await relink('ada', 'U0ADA00001', 'linus');
  expect((await click('grace', card, 'Approve')).text).toContain('linked another forge account');
  await relink('ada', 'U0ADA00001', 'ada');
  expect(sent(run)).toEqual([]);
});

it('does not count a voter who lost the role, or linked another account, before the deciding vote', async () => {
  const started = () => bellows.forge.requests.of('POST /admin/cron/{task}');
  const card = await ask('cron run git_gc_repos');
  await bellows.slack.as('member').click(card, 'Approve');
  await cardSays(card, '1 of 2 approved');
  group.users.length = 0;
  expect((await click('grace', card, 'Approve')).text).toContain('no longer counts');
  group.users.push('U0MEMBER01');
  await relink('grace', 'U0GRACE001', 'linus');
  expect((await click('alan', card, 'Approve')).text).toContain('no longer counts');
  await relink('grace', 'U0GRACE001', 'grace');
  expect(started()).toEqual([]);
});

it('is not approved by an account the forge cannot confirm', async () => {
  const run = stuck('Unconfirmed');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  const credential = { kind: 'token', token: bellows.forge.users['margaret']?.token() ?? '' } as const;
  await store.accounts.put(person('U0ALAN0001'), { login: 'margaret', forgeUserId: null, verified: false, credential });
  expect((await click('alan', card, 'Approve')).text).toContain('Link your forge account first');
  await bellows.link('alan', 'margaret');
  await expect.poll(async () => (await store.accounts.get(person('U0ALAN0001')))?.verified).toBe(true);
  expect(sent(run)).toEqual([]);
});

it('reads the state again when it runs: a run that was restarted since is left alone', async () => {
  const run = stuck('Started anew');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await voteWhileAway(card);
  const { world } = bellows.forge;
  world.finishRun({ run, conclusion: 'failure' });
  world.rerun({ run, as: 'grace' });
  world.takeJob({ runner: 'builder-1', run });
  worker = await work();
  expect(words(await cardSays(card, ', but not run'))).toContain('attempt was 1, now 2');
  await messaged('ada', 'but it was not run: it changed since it was shown');
  expect(sent(run)).toEqual([]);
  expect(await rowsOf(card, 'refused')).toMatchObject([{ approvedBy: [{ user: 'U0GRACE001' }] }]);
});

it('reads roles and age again when it runs', async () => {
  const run = stuck('Lost vote');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await voteWhileAway(card);
  await store.accounts.forget(person('U0GRACE001'));
  worker = await work();
  expect(words(await cardSays(card, ', but not run'))).toContain('no longer counts');
  await relink('grace', 'U0GRACE001', 'grace');
  expect(sent(run)).toEqual([]);

  const late = await ask('runner remove builder-2', 'ada', 'general');
  await voteWhileAway(late);
  const { policy } = (await store.approvals.get(requestOn(late))) ?? {};
  await expect.poll(() => Date.now() > (policy?.expiresAt ?? 0)).toBe(true);
  worker = await work();
  expect(words(await cardSays(late, ', but not run'))).toContain('expired before it could be run');
  expect(bellows.forge.requests.of('DELETE /admin/actions/runners/{runner_id}')).toEqual([]);
});

it('is not approved by writing so into Redis', async () => {
  const run = stuck('Written into Redis');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  const key = `bellows:{${store.forgeId}:approvals}:item:${requestOn(card)}`;
  await store.redis.hset(key, 'state', 'approved', 'count', 1);
  await store.redis.zadd(`bellows:{${store.forgeId}:approvals}:active`, 0, requestOn(card));
  expect(words(await cardSays(card, ', but not run'))).toContain('no longer counts');
  expect(sent(run)).toEqual([]);
});

it('is void once its clear text was edited', async () => {
  const run = stuck('Edited');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  const key = `bellows:{${store.forgeId}:approvals}:item:${requestOn(card)}`;
  const text = (await store.redis.hget(key, 'ask')) ?? '';
  await store.redis.hset(key, 'ask', text.replaceAll('U0ADA00001', 'U0GRACE001'));
  expect((await click('ada', card, 'Approve')).text).toContain('no longer exists');
  expect(sent(run)).toEqual([]);
  const forged = async () => (await store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => entry.target);
  await expect.poll(forged).toContain(requestOn(card));
  await store.redis.hset(key, 'ask', text);
});

it('runs a command about a channel in the channel where it was requested', async () => {
  const place = { team: bellows.slack.teamId, channel: 'C0GENERAL1' };
  for (const line of ['repo use acme/engine', 'subscribe acme/engine', 'mute acme/engine 2h']) {
    const card = await ask(line, 'ada', 'general');
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, '✅ Approved by');
  }
  expect(await store.channels.defaultRepository(place)).toMatchObject({ name: 'engine' });
  expect(await store.subscriptions.inChannel(place)).toHaveLength(1);
});

it('names the repository in the audit even if the channel’s own was meant', async () => {
  await type('ada', 'issue close #2', 'general');
  await expect
    .poll(async () => (await store.audit.read({ command: 'issue close' })).rows.map(({ entry }) => entry.target))
    .toEqual(['acme/engine#2']);
});

it('asks for a channel in a direct message, for an invitation where the bot is not, and posts no card nobody can decide on', async () => {
  const ada = bellows.slack.as('ada');
  const run = stuck('Where');
  expect((await type('ada', `run force-cancel ${repo}#${run}`, ada.dm)).text).toContain('Run it in a channel');
  expect((await type('ada', 'issue edit acme/engine#3 --title New')).text).toContain('Invite me');
  expect((await type('ada', 'issue due acme/engine#3 2030-01-01')).text).toContain('nobody in');
  expect(ada.sees('hermit')).toEqual([]);
  expect((await store.approvals.active()).filter(({ command }) => command.startsWith('issue'))).toEqual([]);
});
