import { afterAll, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
let store: Store;
let branches = 0;
const { type, click } = talkTo(() => bellows);
const world = () => bellows.forge.world;
const approvals = () => bellows.forge.requests.of('POST /repos/{owner}/{repo}/pulls/{index}/reviews');

const policy = [
  'roles:\n  admin:\n    users: [U0ADA00001]',
  'bots: [Renovate]',
  'approvals:\n  rules:\n    - { command: pr merge, repository: acme/ruled, count: 1 }',
  '    - { command: pr approve, repository: acme/careful, count: 1 }',
  '    - { command: pr approve, repository: acme/senior, ask: maintainer, count: 0 }',
  '    - { repository: acme/strict, count: 1 }\n',
].join('\n');

beforeAll(async () => {
  // its cards wait for checks, which the sweep reads
  const tempo = { queueMs: 100, remindMs: 200, feed: { ...quickTempo.feed, sweepMs: 300 } };
  bellows = await startBellows({ policy, pollMs: 500, tempo });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  world().createUser({ login: 'renovate' });
  for (const user of ['ada', 'grace']) await bellows.link(user);
  await bellows.link('alan', 'linus');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

function repository(name: string): string {
  const repo = `acme/${name}`;
  world().createRepo({ as: 'ada', owner: 'acme', name });
  world().setCollaborator({ repo, login: 'renovate', level: 'write' });
  return repo;
}
type State = 'success' | 'failure' | 'warning' | 'pending';
function open(repo: string, title: string, state?: State, as = 'renovate') {
  branches += 1;
  const head = `bump-${branches}`;
  world().push({ as, repo, branch: head, commits: [title] });
  const { index } = world().openPull({ as, repo, title, head });
  const sha = () => world().repo(repo).branches.get(head) ?? '';
  const report = (now: State) => world().commitStatus({ as: 'ada', repo, sha: sha(), context: 'ci', state: now });
  if (state) report(state);
  return { index, head, sha, report, name: `${repo}#${index}` };
}
const reviewsOf = (repo: string, index: number) =>
  world()
    .repo(repo)
    .issues.get(index)
    ?.pull?.reviews.map(({ state, commitId, user }) => [state, commitId, user?.login]);

it('lists what bots propose, and approves and queues the green ones, each at the commit that was shown', async () => {
  const repo = repository('deps');
  const green = open(repo, 'Bump a', 'success');
  open(repo, 'Bump b', 'failure');
  open(repo, 'Bump c', 'pending');
  open(repo, 'Bump d', 'warning');
  open(repo, 'By a person', 'success', 'grace');
  const shown = await type('grace', `bots show ${repo}`);
  expect(words(shown)).toContain('4 pull requests by bots: 1 green, 2 red, 1 without a result');
  expect(words(shown)).toMatch(/✅ [^✅❌⏳]*Bump a.*❌ [^✅❌⏳]*Bump b.*⏳ [^✅❌⏳]*Bump c/);
  expect(words(shown)).not.toContain('By a person');
  const head = green.sha();
  const answer = words(await click('grace', shown, 'Approve and queue the green ones'));
  expect(answer).toContain('Approved and queued 1 pull request of 1.');
  expect(reviewsOf(repo, green.index)).toEqual([['APPROVED', head, 'grace']]);
  expect(approvals().map(({ body }) => body)).toEqual([{ event: 'APPROVED', commit_id: head }]);
  await bellows.slack.until(() => world().repo(repo).issues.get(green.index)?.pull?.merged || undefined);
});

it('approves nothing that has changed since, is not by a bot, or needs more', async () => {
  const repo = repository('later');
  const [pushed, unchecked, failed, closed] = [
    open(repo, 'One', 'success'),
    open(repo, 'Two', 'success'),
    open(repo, 'Three', 'success'),
    open(repo, 'Four', 'success'),
  ];
  const shown = await type('grace', `bots show ${repo}`);
  expect(words(shown)).toContain('4 pull requests by bots: 4 green');
  for (const { head } of [pushed, unchecked]) world().push({ as: 'renovate', repo, branch: head, commits: ['More'] });
  pushed.report('success');
  failed.report('failure');
  world().close({ as: 'renovate', repo, index: closed.index });
  bellows.forge.requests.clear();
  const answer = words(await click('grace', shown, 'Approve and queue the green ones'));
  expect(answer).toContain('Nothing was approved.');
  for (const { name } of [pushed, unchecked]) expect(answer).toMatch(new RegExp(`${name}>: [^"]* has new commits`));
  expect(answer).toContain(`${failed.name}>: its checks failed.`);
  expect(answer).toContain(`${closed.name}>: it is no longer open.`);
  const mine = open(repo, 'Mine', 'success', 'ada');
  expect(words(await type('grace', `bots approve ${mine.name}@${mine.sha()}`))).toContain('it is not by a bot');
  expect((await type('grace', `bots approve ${mine.name}`)).text).toContain('Use the button of a card');
  const pending = open(repo, 'Pending', 'pending');
  const draft = open(repo, 'WIP: not yet', 'success');
  for (const { name, sha } of [pending, draft])
    expect(words(await type('grace', `bots approve ${name}@${sha()}`))).toContain('its checks have not passed');
  for (const [where, command] of [
    ['ruled', 'queue'],
    ['careful', 'pr approve'],
  ] as const) {
    const { name, sha } = open(repository(where), 'Ruled', 'success');
    expect(words(await type('grace', `bots approve ${name}@${sha()}`))).toContain(
      `it needs an approval: use /forge ${command} ${name}`,
    );
  }
  const senior = open(repository('senior'), 'For maintainers', 'success');
  expect(words(await type('grace', `bots approve ${senior.name}@${senior.sha()}`))).toContain(
    'Only maintainers can request pr approve',
  );
  expect(approvals()).toEqual([]);
});

it('approves again unless this person’s approval of this commit stands', async () => {
  const repo = repository('again');
  const [stands, dismissed, theirs, older] = [
    open(repo, 'Stands', 'success'),
    open(repo, 'Dismissed', 'success'),
    open(repo, 'Theirs', 'success'),
    open(repo, 'Older', 'success'),
  ];
  for (const { index } of [stands, dismissed, older]) world().review({ as: 'grace', repo, index, verdict: 'approve' });
  world().dismissReview({ as: 'ada', repo, index: dismissed.index, of: 'grace' });
  world().review({ as: 'ada', repo, index: theirs.index, verdict: 'approve' });
  world().push({ as: 'renovate', repo, branch: older.head, commits: ['More'] });
  older.report('success');
  bellows.forge.requests.clear();
  const all = [stands, dismissed, theirs, older].map(({ name, sha }) => `${name}@${sha()}`).join(',');
  expect(words(await type('grace', `bots approve ${all}`))).toContain('Approved and queued 4 pull requests of 4.');
  expect(approvals().map(({ path }) => Number(/pulls\/(\d+)\//.exec(path)?.[1]))).toEqual(
    [dismissed, theirs, older].map(({ index }) => index),
  );
});

it('acts with the rights of the person who clicks', async () => {
  const repo = repository('rights');
  const green = open(repo, 'Bump', 'success');
  bellows.forge.requests.clear();
  const answer = words(await type('alan', `bots approve ${green.name}@${green.sha()}`));
  expect(answer).toContain('Nothing was approved.');
  expect(approvals()).toEqual([]);
});

it('is one card a day in a channel, where single cards of bots are not posted', async () => {
  const repo = repository('lane');
  await type('ada', `subscribe ${repo} pulls`);
  open(repo, 'Bump from the bot', 'success');
  open(repo, 'Another bump', 'failure');
  open(repo, 'From a person', 'success', 'grace');
  const posts = (part: string) =>
    bellows.slack.state.messages('engine').filter((each) => each.byBot && words(each).includes(part));
  expect(words(await type('ada', `remind bots daily 9:00 --repository ${repo}`))).toContain('one card about');
  const place = { team: bellows.slack.teamId, channel: bellows.slack.state.channel('engine').id };
  const [reminder] = (await store.reminders.inChannel(place)).filter(({ bots }) => bots);
  const now = Date.now();
  if (reminder)
    await store.reminders.put({ ...reminder, zone: 'Etc/UTC', time: new Date(now).toISOString().slice(11, 16) });
  const sent = async () => {
    // again, if a look of the worker that had begun was recorded over it
    await store.reminders.recordLook(now - 60_000);
    return posts('2 pull requests by bots: 1 green, 1 red').length;
  };
  await expect.poll(sent).toBe(1);
  const [card] = posts('2 pull requests by bots: 1 green, 1 red');
  expect(words(card)).toMatch(/"Approve and queue the green ones".*"Show"/);
  expect(words(card && (await click('grace', card, 'Show')))).toContain('Another bump');
  await bellows.slack.until(() => posts('From a person')[0]);
  expect([...posts('Bump from'), ...posts('Another bump')]).toEqual([]);
});

it('asks to link again where a list of refusals would not help', async () => {
  const { name, sha } = open(repository('expired'), 'Bump', 'success');
  // the others would be refused as well
  bellows.forge.faults.add({ on: /^GET .*\/expired\/pulls\/\d+$/, trouble: { status: 401 } });
  expect((await type('grace', `bots approve ${name}@${sha()}`)).text).toMatch(/Link (your account )?again/);
});

it('is refused where every write needs an approval', async () => {
  const { name, sha } = open(repository('strict'), 'Bump', 'success');
  expect((await type('ada', `bots approve ${name}@${sha()}`)).text).toContain('each pull request on its own');
  const strict = await startBellows({ policy: `${policy}  write: { count: 1, approve: admin }\n` });
  const { type: typed } = talkTo(() => strict);
  await strict.link('grace');
  const { text } = await typed('grace', `bots approve acme/engine#2@${'4'.repeat(40)}`);
  expect(text).toContain('This needs approval by');
  expect(text).toContain('each pull request on its own');
  await strict.close();
});
