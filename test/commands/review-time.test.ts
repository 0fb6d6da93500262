import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dueAt, leftFor } from '../../src/features/reviews/clock.js';
import { type Clock, close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import type { WorkerTempo } from '../../src/worker/tempo.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

const always = 'days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00"';
const reviews = [
  'reviews:',
  '  - { repository: grace/diary, firstReview: 10h, remind: 9h59m59s }',
  '  - { repository: acme/calm-again, firstReview: 10h, remind: 1h }',
  '  - { repository: acme/calm*, firstReview: 10h, remind: 9h59m59s }',
  '  - { repository: acme/loud*, firstReview: 1s, escalate: C0ENGINE01 }',
  '  - { repository: acme/*, team: acme/core, firstReview: 1s, escalate: U0GRACE001 }',
  '  - { repository: acme/web-*, firstReview: 1s, escalate: C0ENGINE01 }',
  '  - { repository: grace/closet, firstReview: 1s, escalate: C0PRIVATE1 }',
  '  - { repository: grace/*, firstReview: 1s, escalate: C0ENGINE01 }',
  '',
].join('\n');

let bellows: Bellows;
let store: Store;
let branches = 0;
const opened: { readonly on: { as: string; repo: string; index: number } }[] = [];
const patience = { timeout: 60_000 };
const { type } = talkTo(() => bellows);
const world = () => bellows.forge.world;

const often = { followMs: 150, reviewsMs: 150 };
const start = async (hours: string, tempo: Partial<WorkerTempo> = often, flavor: Flavor = 'gitea-1.26') => {
  bellows = await startBellows({
    forge: { flavor },
    pollMs: 500,
    tempo,
    policy: `roles:\n  admin:\n    users: [U0ADA00001]\nworkingHours: { ${hours} }\n${reviews}`,
  });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  // each look reads what is open
  for (const { owner, name, issues } of world().state.repos.values())
    for (const { index, pull, state } of issues.values())
      if (pull && state === 'open') world().close({ as: owner.login, repo: `${owner.login}/${name}`, index });
  await bellows.link('grace');
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
};
const stop = async () => {
  await close(store.redis);
  await bellows.close();
};

const repository = (name: string, hidden = false, owner = 'acme') => {
  world().createRepo({ as: owner === 'acme' ? 'ada' : owner, owner, name, private: hidden });
  const repo = `${owner}/${name}`;
  for (const login of ['linus', 'ada', 'grace', 'bellows-bot'])
    if (login !== owner) world().setCollaborator({ repo, login, level: 'write' });
  return repo;
};
function open(repo: string, title: string, asked: { from?: string[]; teams?: string[] }) {
  branches += 1;
  const head = `time-${branches}`;
  world().push({ as: 'grace', repo, branch: head, commits: [title] });
  const { index } = world().openPull({ as: 'grace', repo, title, head });
  world().requestReview({ as: 'grace', repo, index, ...asked });
  const made = { repo, index, head, on: { as: 'grace', repo, index } };
  opened.push(made);
  return made;
}
const ready = ({ on }: ReturnType<typeof open>, title: string) => world().edit({ ...on, title });
const posts = (part: string, channel = 'engine') =>
  bellows.slack.state.messages(channel).filter((each) => words(each).includes(part));
const direct = (user: string, part: string) => posts(part, bellows.slack.state.dm(user).id);
const clock = async (repo: string, name: string) => (await store.clocks.of(world().repo(repo).id)).get(name);
/** Looked at again at least twice since now. */
async function looked(repo: string, name: string) {
  for (let times = 0; times < 2; times += 1) {
    const before = (await clock(repo, name))?.at ?? 0;
    await expect.poll(async () => (await clock(repo, name))?.at ?? 0, patience).toBeGreaterThan(before);
  }
}

describe('the time for a first review', () => {
  beforeAll(() => start(always));
  afterAll(stop);
  // each look reads what is open
  afterEach(() => {
    for (const { on } of opened.splice(0)) world().close(on);
  });

  it('tells the reviewer once before it is late, and shows it first in todo and on Home', async () => {
    const repo = repository('calm');
    await type('ada', `subscribe ${repo} pulls reviews`);
    const { index } = open(repo, 'Soon due', { from: ['linus'] });
    const told = () => direct('alan', '⏰ Your review of');
    await bellows.slack.until(() => told()[0]);
    expect(words(told()[0])).toMatch(/⏰ Your review of .*Soon due> is due in 9 h 5\d min\./);
    // a crash before it was noted
    await store.clocks.put(world().repo(repo).id, new Map());
    await looked(repo, `${index} user linus`);
    expect(told()).toHaveLength(1);
    expect(words(await type('alan', 'todo'))).toMatch(/Waiting for your review[^⏰]*⏰ Review due in 9 h 5\d min:/);
    await bellows.slack.as('alan').openHome();
    const home = await bellows.slack.until(() => bellows.slack.as('alan').home());
    expect(words(home)).toMatch(/Soon due>\\n⏰ Review due in 9 h 5\d min/);
    await bellows.slack.until(() => posts('⏰ review due').find((each) => words(each).includes('Soon due')));
  });

  it('is each pull request’s own, however alike their numbers are', async () => {
    const [nowhere, now] = [9_999, Date.now()];
    const late: Clock = { asked: now, used: 2, at: now, running: true, limit: 1, said: [] };
    await store.clocks.put(nowhere, new Map([['12 team core', late]]));
    const { workingHours } = bellows.config.policy;
    expect(await dueAt(store, `r${nowhere}-n12`, workingHours)).toBe('late');
    expect(await dueAt(store, `r${nowhere}-n1`, workingHours)).toBeUndefined();
    const items = [1, 12].map((number) => ({ id: number, number, repository: { id: nowhere } }));
    const left = await leftFor(items, 'ada', { store, policy: bellows.config.policy, now: new Date(now) });
    expect([...left.keys()]).toEqual([12]);
  });

  it('is told again when the review is requested again', async () => {
    const repo = repository('calm-twice');
    const { index, on } = open(repo, 'Once more', { from: ['linus'] });
    const told = () => direct('alan', '⏰ Your review of').filter((each) => words(each).includes('Once more'));
    await bellows.slack.until(() => told()[0]);
    world().review({ as: 'linus', repo, index, verdict: 'comment', body: 'Hm.' });
    world().at(Math.floor(Date.now() / 1_000) + 1, () => world().requestReview({ ...on, from: ['linus'] }));
    await bellows.slack.until(() => told()[1]);
  });

  it('tells no reviewer who can no longer see the repository', async () => {
    const diary = repository('diary', true, 'grace');
    const lost = open(diary, 'WIP: Not for you', { from: ['linus'] });
    await looked(diary, `${lost.index} user linus`);
    world().setCollaborator({ repo: diary, login: 'linus', level: 'none' });
    ready(lost, 'Not for you');
    await expect.poll(async () => (await clock(diary, `${lost.index} user linus`))?.said, patience).toContain('due');
    open(repository('calm-too'), 'For you', { from: ['linus'] });
    await bellows.slack.until(() =>
      direct('alan', '⏰ Your review of').find((each) => words(each).includes('For you')),
    );
    expect(direct('alan', '⏰ Your review of').filter((each) => words(each).includes('Not for you'))).toEqual([]);
  });

  it('tells no reviewer who does not want it, and nobody in their quiet hours', async () => {
    const repo = repository('calm-night');
    const told = (part: string) => direct('alan', '⏰ Your review of').filter((each) => words(each).includes(part));
    const lead = () => direct('grace', 'is waiting for a review from team core');
    await type('alan', 'settings --messages assigned');
    await type('grace', 'settings --quiet 00:00-23:59');
    const { index } = open(repo, 'Unwanted', { from: ['linus'] });
    const team = open(repository('web-night'), 'WIP: Asleep', { teams: ['core'] });
    await looked(team.repo, `${team.index} team core`);
    ready(team, 'Asleep');
    await looked(repo, `${index} user linus`);
    // each reason before the last one is gone
    await type('alan', 'settings --quiet 00:00-23:59');
    await type('alan', 'settings --messages assigned,review_requested');
    await looked(repo, `${index} user linus`);
    const place = { team: bellows.slack.teamId, channel: bellows.slack.state.dm('alan').id };
    await store.outbox.pause(place, 'muted', Date.now() + 3_600_000);
    await type('alan', 'settings --quiet off');
    await looked(repo, `${index} user linus`);
    await looked(team.repo, `${team.index} team core`);
    expect(await clock(repo, `${index} user linus`)).toMatchObject({ said: [] });
    expect(await clock(team.repo, `${team.index} team core`)).toMatchObject({ running: true, said: [] });
    expect([...told('Unwanted'), ...lead()]).toEqual([]);
    await store.outbox.resume(place);
    await type('grace', 'settings --quiet off');
    await bellows.slack.until(() => told('Unwanted')[0] && lead()[0]);
  });

  it('starts anew with a new request, and counts no time in which it stood still', async () => {
    const repo = repository('calm-again');
    const { index, on } = open(repo, 'Again', { from: ['linus'] });
    const name = `${index} user linus`;
    const { id } = world().repo(repo);
    const hour = 3_600_000;
    const wind = async (change: (now: number) => Partial<Clock>) => {
      await looked(repo, name);
      const before = await clock(repo, name);
      if (before) await store.clocks.put(id, new Map([[name, { ...before, ...change(before.at) }]]));
      await looked(repo, name);
      return (await clock(repo, name))?.used;
    };
    expect(await wind((now) => ({ running: false, at: now - 5 * hour }))).toBeLessThan(hour);
    // a look that is under way may write over it
    await expect.poll(() => wind(() => ({ used: 7 * hour })), patience).toBeGreaterThanOrEqual(7 * hour);
    const before = await clock(repo, name);
    world().review({ as: 'linus', repo, index, verdict: 'comment', body: 'Hm.' });
    world().at(Math.floor(Date.now() / 1_000) + 1, () => world().requestReview({ ...on, from: ['linus'] }));
    await looked(repo, name);
    expect((await clock(repo, name))?.asked).toBeGreaterThan(before?.asked ?? 0);
    expect((await clock(repo, name))?.used).toBeLessThan(hour);
    // three hours were left at most, and an hour before is early enough
    expect(direct('alan', '⏰ Your review of').filter((each) => words(each).includes('Again>'))).toEqual([]);
  });

  it('stands still for drafts, tells the channel once when it is late, and ranks it first', async () => {
    const repo = repository('web-a');
    const late = open(repo, 'WIP: Too late', { from: ['ada', 'linus'] });
    await looked(repo, `${late.index} user ada`);
    expect(await clock(repo, `${late.index} user ada`)).toMatchObject({ used: 0, running: false });
    expect(words(await type('ada', 'todo'))).not.toContain('⏰ Review');
    ready(late, 'Too late');
    const told = () => posts('Too late> is waiting for a review').map(words).sort();
    await bellows.slack.until(() => told()[1]);
    await looked(repo, `${late.index} user ada`);
    expect(told()).toEqual([
      expect.stringMatching(/⏰ .*Too late> is waiting for a review from <@U0ADA00001>: .* late\./),
      expect.stringMatching(/⏰ .*Too late> is waiting for a review from <@U0ALAN0001>: .* late\./),
    ]);
    expect(words(await type('ada', 'todo'))).toMatch(/⏰ Review \d+ min late: .*Too late/);
  });

  it('shows on the card that it is late', async () => {
    const repo = repository('web-card');
    await type('ada', `subscribe ${repo} pulls reviews`);
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    const late = open(repo, 'Overdue', {});
    world().at(hourAgo, () => world().requestReview({ ...late.on, from: ['ada'] }));
    const fresh = open(repo, 'WIP: Becomes late', { from: ['ada'] });
    await looked(repo, `${fresh.index} user ada`);
    ready(fresh, 'Becomes late');
    await bellows.slack.until(() => posts('⏰ review late').find((each) => words(each).includes('Overdue')));
    // what was late before the first look is not announced
    await bellows.slack.until(() =>
      posts('is waiting for a review').find((each) => words(each).includes('Becomes late')),
    );
    expect(posts('is waiting for a review').filter((each) => words(each).includes('Overdue'))).toEqual([]);
  });

  it('stands still while checks are red, and while it waits for its author', async () => {
    const repo = repository('web-b');
    const red = open(repo, 'WIP: Red', { from: ['ada'] });
    const sha = () => world().repo(repo).branches.get(red.head) ?? '';
    world().commitStatus({ as: 'grace', repo, sha: sha(), context: 'ci', state: 'failure' });
    const rejected = open(repo, 'WIP: Rejected', { from: ['ada', 'linus'] });
    await looked(repo, `${rejected.index} user ada`);
    world().review({ as: 'linus', repo, index: rejected.index, verdict: 'reject', body: 'No.' });
    ready(red, 'Red');
    ready(rejected, 'Rejected');
    await looked(repo, `${rejected.index} user ada`);
    expect(await clock(repo, `${red.index} user ada`)).toMatchObject({ used: 0, running: false });
    expect(await clock(repo, `${rejected.index} user ada`)).toMatchObject({ used: 0, running: false });
    world().commitStatus({ as: 'grace', repo, sha: sha(), context: 'ci', state: 'success' });
    world().push({ as: 'grace', repo, branch: rejected.head, commits: ['Better'] });
    await bellows.slack.until(() => posts('Red>')[0] && posts('Rejected>')[0]);
    const [asked, dismissed] = ['WIP: Asked again', 'WIP: Dismissed'].map((title) =>
      open(repo, title, { from: ['ada', 'linus'] }),
    );
    if (!asked || !dismissed) throw new Error('not opened');
    await looked(repo, `${dismissed.index} user ada`);
    for (const { index } of [asked, dismissed])
      world().review({ as: 'linus', repo, index, verdict: 'reject', body: 'No.' });
    world().requestReview({ ...asked.on, from: ['linus'] });
    world().dismissReview({ as: 'ada', repo, index: dismissed.index, of: 'linus' });
    ready(asked, 'Asked again');
    ready(dismissed, 'Dismissed');
    await bellows.slack.until(() => posts('Dismissed> is waiting for a review from <@U0ADA00001>')[0]);
    // the request to Ada is older than the rejection, the new one to Linus is not
    await bellows.slack.until(() => posts('Asked again> is waiting for a review from <@U0ALAN0001>')[0]);
    expect(posts('Asked again> is waiting for a review from <@U0ADA00001>')).toEqual([]);
  });

  it('tells the lead about a team’s review', async () => {
    const repo = repository('web-c');
    const team = open(repo, 'WIP: For the team', { teams: ['core'] });
    await looked(repo, `${team.index} team core`);
    ready(team, 'For the team');
    await bellows.slack.until(() => direct('grace', 'is waiting for a review from team core')[0]);
    expect(posts('For the team')).toEqual([]);
  });

  it('says nothing about a request that ended while the channel was muted', async () => {
    const repo = repository('loud');
    const [over, still] = ['WIP: Withdrawn', 'WIP: Not withdrawn'].map((title) =>
      open(repo, title, { teams: ['core'] }),
    );
    if (!over || !still) throw new Error('not opened');
    await looked(repo, `${still.index} team core`);
    const place = { team: bellows.slack.teamId, channel: 'C0ENGINE01' };
    await store.outbox.pause(place, 'muted', Date.now() + 3_600_000);
    ready(over, 'Withdrawn');
    ready(still, 'Not withdrawn');
    for (const { index } of [over, still])
      await expect.poll(async () => (await clock(repo, `${index} team core`))?.said, patience).toContain('late');
    world().withdrawRequest({ as: 'grace', repo, index: over.index, teams: ['core'] });
    await store.outbox.resume(place);
    await bellows.slack.until(() => posts('Not withdrawn>')[0]);
    expect(posts('|#1 Withdrawn>')).toEqual([]);
  });

  it('shows nothing hidden in a public channel, and nothing that is over', async () => {
    const repo = repository('secret', true, 'grace');
    const hidden = open(repo, 'WIP: Hidden plans', { from: ['linus'] });
    const seen = repository('web-d');
    const last = open(seen, 'WIP: In the open', { from: ['linus'] });
    await looked(repo, `${hidden.index} user linus`);
    await looked(seen, `${last.index} user linus`);
    ready(hidden, 'Hidden plans');
    await expect.poll(async () => (await clock(repo, `${hidden.index} user linus`))?.said, patience).toContain('late');
    ready(last, 'In the open');
    await bellows.slack.until(() => posts('In the open')[0]);
    expect(posts('Hidden plans')).toEqual([]);
    const closet = repository('closet', true, 'grace');
    const shown = open(closet, 'WIP: Among us', { from: ['linus'] });
    await looked(closet, `${shown.index} user linus`);
    ready(shown, 'Among us');
    await bellows.slack.until(() => posts('Among us', 'private')[0]);
    world().review({ as: 'linus', repo: seen, index: last.index, verdict: 'approve' });
    await expect.poll(() => clock(seen, `${last.index} user linus`), patience).toBeUndefined();
  });
});

describe.each<Flavor>(['gitea-1.26', 'forgejo-15'])('the report, on %s', (flavor) => {
  beforeAll(async () => {
    await start(always, {}, flavor);
    const repo = repository('numbers');
    const longAgo = Math.floor(Date.now() / 1_000) - 10 * 86_400;
    const [merged, old] = ['Merged long ago', 'Opened long ago'].map((title) =>
      world().at(longAgo, () => open(repo, title, {})),
    );
    if (!merged || !old) throw new Error('not opened');
    world().at(longAgo, () => world().merge({ as: 'ada', repo, index: merged.index }));
    world().comment({ ...merged.on, body: 'Remember?' });
    world().review({ as: 'linus', repo, index: old.index, verdict: 'approve' });
    world().close(open(repo, 'Dropped', {}).on);
    const [one, two, three] = ['One', 'Two', 'Three'].map((title) => open(repo, title, { from: ['linus', 'ada'] }));
    world().review({ as: 'linus', repo, index: one?.index ?? 0, verdict: 'approve' });
    world().review({ as: 'linus', repo, index: two?.index ?? 0, verdict: 'reject', body: 'No.' });
    world().merge({ as: 'ada', repo, index: one?.index ?? 0 });
    if (!three) throw new Error('not opened');
    ready(three, 'Third');
    world().review({ ...three.on, verdict: 'comment', body: 'I mean it.' });
    const other = repository('others');
    open(other, 'Elsewhere', { teams: ['core'] });
    repository('locked', true, 'grace');
    for (const login of ['linus', 'ada']) world().setCollaborator({ repo: 'grace/locked', login, level: 'none' });
    open('grace/locked', 'Mine alone', {});
  });
  afterAll(stop);

  it('says how long reviews and merges took, what is open, and who has how many', async () => {
    const shown = await type('alan', 'reviews report acme/numbers');
    expect(shown.onlyFor ?? shown.channel).toBe('U0ALAN0001');
    const text = words(shown);
    expect(text).toContain('*Reviews in acme/numbers*, last 7d');
    expect(text).toMatch(/First review: median .*, slowest .* \(<[^|]*\|acme\/numbers#\d>\) · 2 reviewed, 1 not yet/);
    expect(text).toMatch(/Merge: median .* · 1 merged/);
    expect(text).toMatch(/Open: 3 pull requests · 2 under a day, 1 older; the oldest is <[^|]*\|acme\/numbers#2>/);
    expect(text).toContain('Requested reviews: ada 2, linus 1');
    expect(words(await type('alan', 'reviews report acme --since 1d'))).toMatch(/Requested reviews: ada \d.*team core/);
  });

  it('counts only what its reader can see, and says what it cannot find', async () => {
    expect(words(await type('grace', 'reviews report grace'))).toContain('Open: 1 pull request');
    expect(words(await type('alan', 'reviews report grace'))).toContain('Open: 0 pull requests');
    expect((await type('alan', 'reviews report grace/locked')).text).toMatch(/can’t find/);
    expect((await type('alan', 'reviews report nobody-at-all')).text).toContain('I can’t find nobody-at-all');
    expect((await type('alan', 'reviews report', 'general')).text).toContain('Which repository?');
  });

  it('is sent every week to those who ask', async () => {
    const made = words(await type('alan', 'remind report mon 9:00 acme/numbers'));
    expect(made).toContain('You’ll get a report about reviews in acme/numbers.');
    const [reminder] = await store.reminders.ownedBy({ team: bellows.slack.teamId, user: 'U0ALAN0001' });
    expect(reminder).toMatchObject({ report: 'acme/numbers', personal: true, days: ['mon'] });
    expect(words(await type('alan', 'remind list'))).toContain('report about reviews in acme/numbers');
    // just before it is due
    const now = Date.now();
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(now).getUTCDay()] ?? '';
    const time = new Date(now).toISOString().slice(11, 16);
    if (reminder) await store.reminders.put({ ...reminder, zone: 'Etc/UTC', days: [day], time });
    await store.reminders.recordLook(now - 60_000);
    await bellows.slack.until(() => direct('alan', '*Reviews in acme/numbers*, last 7d')[0]);
  });
});

it('neither counts nor tells anything outside working hours', async () => {
  const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  await start(`${always}, holidays: ["${day(-1)}", "${day(0)}", "${day(1)}"]`);
  const repo = repository('calm');
  open(repo, 'On a holiday', { from: ['linus'] });
  const { requests } = bellows.forge;
  requests.clear();
  await type('alan', 'todo');
  await type('alan', 'todo');
  expect(requests.all.filter(({ who, path }) => who === 'bellows-bot' && path.includes('/reviews'))).toEqual([]);
  expect(await store.clocks.of(world().repo(repo).id)).toEqual(new Map());
  expect(direct('alan', '⏰')).toEqual([]);
  await stop();
});
