import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import type { WorkerTempo } from '../../src/worker/tempo.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { onServers } from '../support/servers.js';
import { talkTo, words } from './talk.js';

const policy = [
  'roles:\n  admin:\n    users: [U0ADA00001]',
  'workingHours: { days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00" }',
  'reviews:\n  - { repository: acme/calm, firstReview: 10h, remind: 9h59m59s }\n',
].join('\n');

let bellows: Bellows;
let store: Store;
let branches = 0;
const { type } = talkTo(() => bellows);
const world = () => bellows.forge.world;

const start = async (tempo: Partial<WorkerTempo>, flavor: Flavor) => {
  bellows = await startBellows({ forge: { flavor }, pollMs: 500, tempo, policy });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
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
  return { index, on: { as: 'grace', repo, index } };
}
const ready = ({ on }: ReturnType<typeof open>, title: string) => world().edit({ ...on, title });
const posts = (part: string, channel = 'engine') =>
  bellows.slack.state.messages(channel).filter((each) => words(each).includes(part));
const direct = (user: string, part: string) => posts(part, bellows.slack.state.dm(user).id);

describe('the time for a first review', () => {
  beforeAll(() => start({ followMs: 150, reviewsMs: 150 }, 'gitea-1.26'));
  afterAll(stop);

  it('is told to the reviewer, and shown on the card, in todo and on Home', async () => {
    const repo = repository('calm');
    await type('ada', `subscribe ${repo} pulls reviews`);
    open(repo, 'Soon due', { from: ['linus'] });
    const told = await bellows.slack.until(() => direct('alan', '⏰ Your review of')[0]);
    expect(words(told)).toMatch(/⏰ Your review of .*Soon due> is due in 9 h 5\d min\./);
    expect(words(await type('alan', 'todo'))).toMatch(/Waiting for your review[^⏰]*⏰ Review due in 9 h 5\d min:/);
    await bellows.slack.as('alan').openHome();
    const home = await bellows.slack.until(() => bellows.slack.as('alan').home());
    expect(words(home)).toMatch(/Soon due>\\n⏰ Review due in 9 h 5\d min/);
    await bellows.slack.until(() => posts('⏰ review due').find((each) => words(each).includes('Soon due')));
  });

  it('makes what is late the first in todo', async () => {
    const repo = repository('slow');
    open(repo, 'In time', { from: ['ada'] });
    const { index } = open(repo, 'Too late', { from: ['ada'] });
    const now = Date.now();
    const late: Clock = { asked: now, used: 2, at: now, running: true, limit: 1, said: [] };
    await store.clocks.put(world().repo(repo).id, new Map([[`${index} user ada`, late]]));
    const shown = words(await type('ada', 'todo'));
    expect(shown).toMatch(/⏰ Review \d+ min late: .*Too late.*In time/);
  });
});

describe.each<Flavor>(onServers(['gitea-1.26', 'forgejo-15'], ['forgejo-15']))('the report, on %s', (flavor) => {
  beforeAll(async () => {
    await start({ remindMs: 200 }, flavor);
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

  // it asks the server for the same as above
  it.runIf(flavor === 'forgejo-15')('is sent every week to those who ask', async () => {
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
    const isSent = async () => {
      // again, if a look of the worker that had begun was recorded over it
      await store.reminders.recordLook(now - 60_000);
      return direct('alan', '*Reviews in acme/numbers*, last 7d').length;
    };
    await expect.poll(isSent).toBe(1);
  });
});
