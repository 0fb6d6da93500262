import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { decideIn, force, group, people, repo } from './deciding.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001, U0TWIN0001]
  maintainer:
    users: [U0ALAN0001]
    groups: [S0MAINT001]
approvals:
  commands:
    cron run:
      count: 2
      approve: maintainer
    runner remove:
      expires: 1s
      channel: C0PRIVATE1
`;

let bellows: Bellows;
let worker: Awaited<ReturnType<typeof startWorker>>;
const { type } = talkTo(() => bellows);
const { ask: askIn, cardSays, click, messaged, sent, stuck } = decideIn(() => bellows);
let turn = 0;
// Slack takes one message a second per channel: two channels are faster.
const ask = (line: string, as = 'ada') => askIn(line, as, ++turn % 2 === 0 ? 'engine' : 'general');

beforeAll(async () => {
  const channels = [
    { id: 'C0GENERAL1', name: 'general' },
    { id: 'C0ENGINE01', name: 'engine' },
    { id: 'C0PRIVATE1', name: 'private', kind: 'private' as const },
  ];
  const slack = { seed: { users: people, channels, userGroups: [group] } };
  bellows = await startBellows({ policy, slack, parts: ['bot'] });
  worker = await startWorker(bellows.config, createLog({ level: 'silent' }), undefined, quickTempo);
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
  await bellows.link('twin', 'ada');
  await bellows.link('guest', 'linus');
});
afterAll(async () => {
  await worker.stop();
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows who wants what and why, who may decide and by when, what would be sent behind a button, and sends nothing', async () => {
  const run = stuck('Shown first');
  const card = await ask(`run force-cancel ${repo}#${run} --reason "The release waits"`);
  expect(words(card)).toContain('<@U0ADA00001> wants to <');
  expect(words(card)).toContain('|force-cancel run ');
  expect(words(card)).toContain('>The release waits');
  expect(words(card)).toContain('one other maintainer can decide');
  expect(words(card)).toContain('expires <!date');
  expect(words(card)).toContain('Shown first');
  expect(words(card)).toContain('Regular cancel');
  expect(words(card)).not.toContain('POST /repos');
  const details = await click('grace', card, 'Details');
  expect(words(details)).toContain(`POST /repos/acme/engine/actions/runs/${run}/force-cancel`);
  // the number people read; the id only where the server needs it
  expect(words(details)).not.toContain(`#${run}`);
  expect(words(details)).not.toContain('Withdraw request');
  const id = /"value":"([^"]*approval show[^"]*)"/.exec(words(card).replaceAll('\\"', "'"))?.[1] ?? '';
  const request = /j-[\w.-]+/.exec(id)?.[0] ?? '';
  expect((await type('grace', `approval show ${request}`, 'private')).text).toContain('no longer exists');
  expect(sent(run)).toEqual([]);
});

it('runs as the requester once someone else approves, and says so on the card and in a message', async () => {
  const run = stuck('To be approved');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  // the requester, another Slack person with the same forge account, and somebody without the role
  for (const user of ['ada', 'twin'])
    expect((await click(user, card, 'Approve')).text).toContain('Someone else has to approve');
  expect((await click('guest', card, 'Approve')).text).toContain('can decide this');
  await cardSays(card, 'Waiting for approval');
  expect(sent(run)).toEqual([]);
  await bellows.slack.as('grace').click(card, 'Approve');
  const done = await cardSays(card, '✅ Approved by');
  expect(words(done)).toContain('Force-canceled');
  expect(words(done)).not.toContain('"type":"actions"');
  expect(sent(run)).toMatchObject([{ who: 'ada', status: 200 }]);
  expect((await messaged('ada', 'grace approved your request')).text).toContain(`force-cancel run`);
});

it('says on the card and to the requester why the forge refused it', async () => {
  const run = stuck('Forbidden');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  bellows.forge.faults.add({ on: force, trouble: { status: 403 } });
  await bellows.slack.as('grace').click(card, 'Approve');
  const failed = words(await cardSays(card, 'but it failed'));
  expect(failed).toContain('The requester doesn’t have permission to force-cancel the run');
  expect(failed).not.toContain('runs.forceCancel');
  expect((await messaged('ada', 'but it failed')).text).toContain('You don’t have permission to force-cancel');
});

it('does nothing when it is denied, and tells the requester', async () => {
  const muted = ['engine', 'general', bellows.slack.as('ada').dm];
  for (const where of muted) await type('ada', 'mute 2h', where);
  const run = stuck('To be denied');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  const alan = bellows.slack.as('alan');
  await alan.click(card, 'Deny');
  expect(words(alan.openView())).toContain('The requester and everyone who can see the card will see your reason.');
  await alan.fill({ reason: 'Deploys are <!channel> frozen today' });
  await alan.submit();
  const denied = await cardSays(card, 'Denied');
  expect(words(denied)).toContain('Deploys are &lt;!channel&gt; frozen today');
  expect((await messaged('ada', 'margaret denied your request')).text).toContain('frozen today');
  expect(sent(run)).toEqual([]);
  for (const where of muted) expect((await type('ada', 'unmute', where)).text).toContain('Unmuted');
});

it('lets only the requester withdraw', async () => {
  const run = stuck('To be withdrawn');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  const { blocks } = await click('ada', card, 'Details');
  expect((await click('grace', { ...card, blocks }, 'Withdraw request')).text).toContain('Only the requester');
  await bellows.slack.as('ada').clickOnOldScreen({ ...card, blocks }, 'Withdraw request');
  const gone = await cardSays(card, 'Withdrawn');
  expect(words(gone)).not.toContain('"type":"actions"');
  expect((await click('grace', card, 'Approve')).text).toContain('already withdrawn');
  expect(sent(run)).toEqual([]);
});

it('is sent once even if two people approve at the same moment', async () => {
  const run = stuck('Two clicks');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await Promise.all(['grace', 'alan'].map((user) => bellows.slack.as(user).click(card, 'Approve')));
  await cardSays(card, '✅ Approved by');
  expect(sent(run)).toHaveLength(1);
});

it('waits for as many as the policy says, and counts no approval of someone who has signed out since', async () => {
  const card = await ask('cron run git_gc_repos');
  const started = () => bellows.forge.requests.of('POST /admin/cron/{task}');
  await bellows.slack.as('grace').click(card, 'Approve');
  await cardSays(card, '1 of 2 approved');
  expect((await click('grace', card, 'Approve')).text).toContain('already decided on this');
  await type('grace', 'signout', 'private');
  expect((await click('alan', card, 'Approve')).text).toContain('The approval of grace no longer counts');
  const now = await cardSays(card, '<@U0ALAN0001>');
  expect(words(now)).toContain('1 of 2 approved');
  expect(words(now)).not.toContain('<@U0GRACE001>');
  expect(started()).toEqual([]);
  await bellows.link('grace');
  await bellows.slack.as('grace').click(card, 'Approve');
  const done = await cardSays(card, '✅ Approved by');
  expect(words(done)).toContain('✅ Approved by <@U0ALAN0001>, <@U0GRACE001>');
  expect(started()).toMatchObject([{ who: 'ada', path: '/admin/cron/git_gc_repos' }]);
});

it('expires on its card, in the policy’s own channel', async () => {
  const answer = await type('ada', 'runner remove builder-2');
  expect(words(answer)).toContain('C0PRIVATE1');
  const expired = await bellows.slack.until(() =>
    bellows.slack
      .as('ada')
      .sees('private')
      .find((shown) => words(shown).includes('Expired')),
  );
  expect(words(expired)).not.toContain('"type":"actions"');
  await messaged('ada', 'Nobody decided on your request to remove the runner builder-2');
  expect(bellows.forge.requests.of('DELETE /admin/actions/runners/{runner_id}')).toEqual([]);
});

it('survives a restart between requesting, approving and running', async () => {
  const run = stuck('Restarted');
  const card = await ask(`run force-cancel ${repo}#${run}`);
  await worker.stop();
  await bellows.slack.as('grace').click(card, 'Approve');
  expect(sent(run)).toEqual([]);
  worker = await startWorker(bellows.config, createLog({ level: 'silent' }), undefined, quickTempo);
  await cardSays(card, '✅ Approved by');
  expect(sent(run)).toHaveLength(1);
});

it('records who asked, who approved and how it ended', async () => {
  const answer = await type('ada', 'audit run force-cancel --outcome done');
  expect(words(answer)).toContain('run force-cancel');
  expect(words(answer)).toContain('approved by <@U0GRACE001>');
  expect(words(await type('ada', 'audit run force-cancel --outcome refused'))).toContain('withdrawn by the requester');
});
