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
    repo use: { count: 1, approve: maintainer }
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

it('tells the whole story of an approved command in one row of the audit, and a later click requests nothing', async () => {
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
  const ada = bellows.slack.as('ada');
  const heard = ada.sees(ada.dm).length;
  expect((await click('alan', card, 'Approve')).text).toContain('already approved, and it was run');
  expect(await rowsOf(card, 'refused')).toMatchObject([
    { who: { user: 'U0ALAN0001' }, args: { run: { run } }, note: expect.stringContaining('already approved') },
  ]);
  expect(ada.sees(ada.dm)).toHaveLength(heard);
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

it('reads roles again when it runs', async () => {
  const run = stuck('Lost vote');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await voteWhileAway(card);
  await store.accounts.forget(person('U0GRACE001'));
  worker = await work();
  expect(words(await cardSays(card, ', but not run'))).toContain('no longer counts');
  await bellows.link('grace');
  expect(sent(run)).toEqual([]);
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
  const card = await ask('repo use acme/engine', 'ada', 'general');
  await bellows.slack.as('alan').click(card, 'Approve');
  await cardSays(card, '✅ Approved by');
  expect(await store.channels.defaultRepository(place)).toMatchObject({ name: 'engine' });
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
