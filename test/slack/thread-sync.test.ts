import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobIdOf } from '../../src/chat/act-job.js';
import { createQueue } from '../../src/jobs/queues.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

const repo = 'acme/engine';
const place = { team: 'T0BELLOWS1', channel: 'C0ENGINE01' };

let bellows: Bellows;
let store: Store;
let queue: ReturnType<typeof createQueue>;
const { type } = talkTo(() => bellows);
const as = (user: string) => bellows.slack.as(user);
const writes = () =>
  [...bellows.forge.requests].filter(({ method, path }) => method !== 'GET' && path.includes('/comments'));
const messages = () => bellows.slack.state.messages('engine');

const soon = <T>(look: () => T) => expect.poll(look, { interval: 100 });

/** The card of a new issue, as the feed posts it. */
async function post(title: string, where = repo) {
  const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: where, title });
  const shown = await bellows.slack.until(() => messages().find(({ text }) => text.includes(`#${index} ${title}`)));
  // an earlier reply is not known to belong to it
  await vi.waitUntil(() => store.threads.itemOf(place, shown.ts), 120_000);
  return {
    ts: shown.ts,
    index,
    comments: () => bellows.forge.world.issue(where, index)?.comments.map(({ body }) => body) ?? [],
  };
}
/** One for each test, posted together: a poll takes a second. */
let cards: Awaited<ReturnType<typeof post>>[];
const card = async () => cards.shift() ?? (await post('Another leak'));
/** What only ada is told in this thread. */
const refusal = (ts: string) =>
  bellows.slack.until(() =>
    as('ada')
      .sees('engine')
      .find(({ threadTs, onlyFor }) => threadTs === ts && onlyFor),
  );
const poster = { user: 'U0ADA00001', login: 'ada' };
const agree = (user: string, answer: 'public' | 'hidden' | 'off', where = repo) =>
  store.settings.put(
    { team: place.team, user: bellows.slack.state.user(user).id },
    { kinds: {}, quiet: null, repliesIn: { [`r${bellows.forge.world.repo(where)?.id}`]: answer } },
  );
/** Everything before it has been processed by then. */
const afterwards = () => type('ada', 'whoami');
/** The bot accepted nothing for this reply; what it accepts is remembered for a day. */
async function ignored(ts: string): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await afterwards();
  expect(await queue.getJob(jobIdOf('t', place.channel, ts))).toBeUndefined();
}

beforeAll(async () => {
  bellows = await startBellows({ threadSync: true, policy: '', pollMs: 200 });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  queue = createQueue('act', { connection: store.redis, forgeId: 'main' });
  await bellows.link('ada');
  bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'gadget' });
  await type('ada', `subscribe ${repo} issues comments thread:sync`);
  await type('ada', 'subscribe acme/website issues comments');
  cards = await Promise.all(Array.from({ length: 29 }, (_, at) => post(`Leak ${at}`)));
});
afterAll(async () => {
  await queue.close();
  await close(store.redis);
  await bellows.close();
});
beforeEach(async () => {
  bellows.forge.requests.clear();
  await agree('ada', 'public');
});

it.each(['thread edit Looks better', 'thread delete'])('has no reply to change if typed: %s', async (line) => {
  expect((await type('ada', line)).text).toContain('This reply was not posted as a comment');
  expect(writes()).toEqual([]);
});

describe('a reply in a synced thread', () => {
  it('becomes its person’s comment, with a mark, and the thread stays quiet', async () => {
    const { ts, comments } = await card();
    await as('ada').post('engine', 'Looks <good> & @grace agrees', ts);
    await soon(comments).toEqual([expect.stringMatching(/^Looks <good> & @grace agrees\n\n_\[from Slack\]\(http/)]);
    await afterwards();
    expect(messages().filter(({ threadTs, byBot }) => threadTs === ts && byBot)).toEqual([]);
    expect(
      as('ada')
        .sees('engine')
        .filter(({ threadTs }) => threadTs === ts),
    ).toHaveLength(1);
  });

  const ada = { team: place.team, user: 'U0ADA00001' };
  const questions = (part = 'can be posted as comments') =>
    as('ada')
      .sees('engine')
      .filter(({ text, onlyFor }) => onlyFor && text.includes(part));
  const questionAbout = (part: string) => bellows.slack.until(() => questions(part).at(-1));

  it('asks its person once for each repository, privately; an answer counts from then on', async () => {
    const { ts, comments } = await card();
    // an earlier version asked once for all repositories
    await store.settings.put(ada, { kinds: {}, quiet: null, replies: 'on' });
    await as('ada').post('engine', 'Not yet', ts);
    const question = await questionAbout(`threads about ${repo}`);
    expect(question.text).toContain('The repository is public, so everyone can read them.');
    const second = await as('ada').post('engine', 'Nor now', ts);
    await ignored(second.ts);
    expect(questions()).toHaveLength(1);
    expect(comments()).toEqual([]);
    await as('ada').click(question, 'Post my replies');
    await soon(async () => Object.values((await store.settings.get(ada)).repliesIn ?? {})).toEqual(['public']);
    const agreed = await questionAbout(`Your replies in threads about ${repo} now become comments.`);
    const [since = 0] = Object.values((await store.settings.get(ada)).repliesSince ?? {});
    expect(since).toBeGreaterThan(Number(second.ts) * 1_000);
    expect(questions()).toEqual([]);
    await as('ada').post('engine', 'But now', ts);
    await soon(comments).toEqual([expect.stringContaining('But now')]);
    await as('ada').click(agreed, 'Post this one too');
    await soon(comments).toEqual([expect.stringContaining('But now'), expect.stringContaining('Not yet')]);
    await questionAbout('Posted your reply as');
    expect(questions('now become comments')).toEqual([]);
    await type('ada', 'subscribe acme/gadget issues thread:sync');
    const other = await post('Elsewhere', 'acme/gadget');
    await as('ada').post('engine', 'For this channel only', other.ts);
    await questionAbout('threads about acme/gadget');
    expect(other.comments()).toEqual([]);
  });

  it('written before its person agreed stays in Slack, however late it comes', async () => {
    const { ts, comments } = await card();
    const key = `r${bellows.forge.world.repo(repo).id}`;
    const agreedAt = (at: number) =>
      store.settings.put(ada, { kinds: {}, quiet: null, repliesIn: { [key]: 'public' }, repliesSince: { [key]: at } });
    await agreedAt(Date.now() + 60_000);
    const early = await as('ada').post('engine', 'Before', ts);
    await ignored(early.ts);
    await agreedAt(Math.floor(Number(early.ts) * 1_000) + 1);
    await as('ada').post('engine', 'After', ts);
    await soon(comments).toEqual([expect.stringContaining('After')]);
  });

  it('asks again when more people can read it than when its person agreed', async () => {
    bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'cabinet' });
    await type('ada', 'subscribe acme/cabinet issues thread:sync');
    const { ts, comments } = await post('Dusty', 'acme/cabinet');
    await agree('ada', 'hidden', 'acme/cabinet');
    await as('ada').post('engine', 'Said to everyone?', ts);
    const question = await questionAbout('threads about acme/cabinet');
    expect(question.text).toContain('is public');
    expect(comments()).toEqual([]);
    const second = await as('ada').post('engine', 'Asked once', ts);
    await ignored(second.ts);
    expect(comments()).toEqual([]);
    await as('ada').click(question, 'Post my replies');
    await soon(async () => Object.values((await store.settings.get(ada)).repliesIn ?? {})).toEqual(['public']);
    await as('ada').post('engine', 'Said to everyone', ts);
    await soon(comments).toEqual([expect.stringContaining('Said to everyone\n')]);
  });

  it('is not edited on the forge for more readers than its person agreed to', async () => {
    const { ts, comments } = await card();
    const said = await as('ada').post('engine', 'Between colleagues', ts);
    await soon(comments).toEqual([expect.stringContaining('Between colleagues')]);
    await agree('ada', 'hidden');
    await as('ada').edit(said, 'Between colleagues, and this');
    expect((await refusal(ts)).text).toContain(`${repo} is public, and you haven’t agreed to post replies there`);
    expect(comments()).toEqual([expect.stringContaining('Between colleagues\n')]);
  });

  it('stays in Slack for someone who wants no questions either', async () => {
    const { ts, comments } = await card();
    await type('ada', 'settings --replies off');
    const said = await as('ada').post('engine', 'Between us', ts);
    await ignored(said.ts);
    expect(comments()).toEqual([]);
  });

  it.each([
    ['who said no', () => agree('ada', 'off'), 'ada'],
    ['without an account', () => agree('grace', 'public'), 'grace'],
  ])('stays in Slack for someone %s', async (_, before, user) => {
    const { ts, comments } = await card();
    await before();
    const said = await as(user).post('engine', 'Between us', ts);
    await ignored(said.ts);
    expect(comments()).toEqual([]);
  });

  it('that mentions the bot is a command, and a message outside the thread is ignored', async () => {
    const { ts, comments } = await card();
    const [command, talk] = [
      await as('ada').post('engine', '@bellows help', ts),
      await as('ada').post('engine', 'Talk'),
    ];
    for (const said of [command, talk]) await ignored(said.ts);
    expect(comments()).toEqual([]);
  });

  it('stays in Slack if no subscription syncs', async () => {
    const { ts, comments } = await post('Elsewhere', 'acme/website');
    const said = await as('ada').post('engine', 'A word', ts);
    await ignored(said.ts);
    expect(comments()).toEqual([]);
  });

  it.each([
    ['a bot', { bot_id: 'B0OTHER' }],
    ['somebody of another workspace', { user_team: 'T0STRANGER' }],
    ['nobody', { user: undefined }],
    ['the bot itself', { user: 'U0BELLOWS1' }],
    ['a channel message of its own kind', { subtype: 'channel_topic' }],
  ])('from %s is ignored', async (_, change) => {
    const { ts, comments } = await card();
    const event = { type: 'message', channel: place.channel, channel_type: 'channel', user: 'U0ADA00001' };
    await bellows.slack.happens.anything({ ...event, text: 'No', ts: '1794000009.000100', thread_ts: ts, ...change });
    await ignored('1794000009.000100');
    expect(comments()).toEqual([]);
  });

  it.each([
    ['has a file', 'file_share', '1794000009.000200'],
    ['is also sent to the channel', 'thread_broadcast', '1794000009.000300'],
  ])('that %s becomes a comment too', async (_, subtype, ts) => {
    const { ts: thread, comments } = await card();
    const event = { type: 'message', channel: place.channel, channel_type: 'channel', user: 'U0ADA00001', subtype };
    await bellows.slack.happens.anything({ ...event, text: 'Look here', ts, thread_ts: thread });
    await soon(comments).toEqual([expect.stringContaining('Look here')]);
  });

  it('is one comment however often Slack delivers it', async () => {
    const { ts, comments } = await card();
    await as('ada').post('engine', 'Once', ts);
    await soon(comments).toHaveLength(1);
    const delivery = bellows.slack.deliveries.all.findLast(({ type: kind }) => kind === 'events_api');
    if (delivery) await bellows.slack.redeliver(delivery);
    await afterwards();
    expect(comments()).toHaveLength(1);
  });

  it('is one comment when the forge’s answer was lost', async () => {
    const { ts, comments } = await card();
    bellows.forge.faults.add({
      on: 'POST /repos/{owner}/{repo}/issues/{index}/comments',
      times: 1,
      trouble: { drop: 'after' },
    });
    await as('ada').post('engine', 'Said once', ts);
    await soon(comments).toHaveLength(1);
    await afterwards();
    expect(comments()).toHaveLength(1);
  });

  it.each([
    ['was certainly not posted', 403, false],
    ['may have been posted', 502, true],
  ])('that %s holds back other comments only as long as it must', async (_, status, held) => {
    const { ts, index } = await card();
    bellows.forge.faults.add({ on: /^POST .*comments/, trouble: { status, message: 'no' } });
    await as('ada').post('engine', 'Perhaps', ts);
    await soon(() => writes().length).toBeGreaterThan(0);
    const item = `r${bellows.forge.world.repo(repo)?.id}-n${index}`;
    if (!held) await refusal(ts);
    await afterwards();
    expect(await store.replies.isUnderWay(place, item)).toBe(held);
    bellows.forge.faults.clear();
  });

  it('of 40,000 characters is too long for a comment, and its person is notified', async () => {
    const { ts, comments } = await card();
    await as('ada').post('engine', 'a'.repeat(40_000), ts);
    expect((await refusal(ts)).text).toContain('Comment is too long');
    expect(comments()).toEqual([]);
  });
});

describe('an edit', () => {
  it('that deletes it is not done if the forge refuses, and its person is notified', async () => {
    const { ts, comments } = await card();
    const said = await as('ada').post('engine', 'Stays', ts);
    await soon(comments).toHaveLength(1);
    bellows.forge.faults.add({ on: /^DELETE .*comments/, trouble: { status: 403, message: '' } });
    await as('ada').remove(said);
    expect((await refusal(ts)).text).toContain('You don’t have permission to delete');
    expect(comments()).toHaveLength(1);
  });

  it('and a deletion follow', async () => {
    const { ts, comments } = await card();
    const said = await as('ada').post('engine', 'Frist', ts);
    await soon(comments).toHaveLength(1);
    const edited = await as('ada').edit(said, 'First');
    await soon(() => comments()[0]).toMatch(/^First\n/);
    await as('ada').remove(edited);
    await soon(comments).toEqual([]);
  });

  it('counts even if the forge is still busy with the one before', async () => {
    const { ts, comments } = await card();
    const said = await as('ada').post('engine', 'Frist', ts);
    await soon(comments).toHaveLength(1);
    bellows.forge.faults.add({ on: /^PATCH .*comments/, times: 1, trouble: { delay: 1_500 } });
    const edited = await as('ada').edit(said, 'First');
    await soon(() => queue.getJobCountByTypes('active')).toBe(1);
    await as('ada').edit(edited, 'First of all');
    await soon(() => writes().filter(({ method }) => method === 'PATCH')).toHaveLength(2);
    await afterwards();
    await soon(() => queue.getJobCountByTypes('active')).toBe(0);
    expect(comments()[0]).toMatch(/^First of all\n/);
  });

  it('of what stayed in Slack changes nothing, and sends nothing', async () => {
    const { ts, comments } = await card();
    await agree('ada', 'off');
    const said = await as('ada').post('engine', 'Private', ts);
    await ignored(said.ts);
    await agree('ada', 'public');
    await as('ada').edit(said, 'Still private');
    await afterwards();
    expect(comments()).toEqual([]);
    expect(
      as('ada')
        .sees('engine')
        .filter(({ threadTs, onlyFor }) => threadTs === ts && onlyFor),
    ).toEqual([]);
  });

  it.each([
    ['within five minutes follows', 4, 'Later\n'],
    ['after five minutes stays in Slack', 6, 'Sooner'],
  ])('%s', async (_, minutes, body) => {
    const { ts, index, comments } = await card();
    const { id } = bellows.forge.world.comment({ as: 'ada', repo, index, body: 'Sooner' });
    const old = String(Math.floor(Date.now() - minutes * 60_000) / 1_000);
    await store.replies.keep(place, old, { comment: id, owner: 'acme', repo: 'engine', ...poster });
    const version = (text: string) => ({ ts: old, thread_ts: ts, user: 'U0ADA00001', text });
    const changed = { ...version('Later'), edited: { ts: '2' } };
    const event = { type: 'message', subtype: 'message_changed', channel: place.channel, channel_type: 'channel' };
    await bellows.slack.happens.anything({ ...event, ts: '1', message: changed, previous_message: version('Sooner') });
    const job = jobIdOf('t', place.channel, old, 'e', '2');
    if (minutes < 5) await soon(async () => (await queue.getJob(job))?.id).toBe(job);
    else for (let turn = 0; turn < 3; turn++) await afterwards();
    expect((await queue.getJob(job))?.id).toBe(minutes < 5 ? job : undefined);
    await soon(comments).toEqual([expect.stringContaining(body)]);
  });

  it.each([
    ['another forge account', { login: 'linus' }],
    ['another person', { user: 'U0GRACE001' }],
  ])('by %s than the one that posted it changes nothing', async (_, other) => {
    const { ts, comments } = await card();
    const said = await as('ada').post('engine', 'Mine', ts);
    await soon(() => store.replies.get(place, said.ts)).toBeDefined();
    const kept = await store.replies.get(place, said.ts);
    if (kept) await store.replies.keep(place, said.ts, { ...kept, ...other });
    bellows.forge.requests.clear();
    await as('ada').edit(said, 'Theirs');
    expect((await refusal(ts)).text).toContain('nothing was changed');
    expect(writes()).toEqual([]);
    expect(comments()).toEqual([expect.stringMatching(/^Mine/)]);
  });

  it('goes only to the comment that this person’s reply became', async () => {
    const { ts } = await card();
    const said = await as('ada').post('engine', 'Mine', ts);
    await soon(() => store.replies.get(place, said.ts)).toBeDefined();
    const other = await store.replies.get(place, said.ts);
    const key = (await store.redis.keys(`*reply:${said.ts}`))[0] ?? '';
    await store.redis.set(key, JSON.stringify({ v: 1, ...other, comment: 1 }));
    bellows.forge.requests.clear();
    await as('ada').edit(said, 'Theirs');
    expect((await refusal(ts)).text).toContain('nothing was changed');
    expect(writes()).toEqual([]);
  });
});

describe('the comment', () => {
  const replies = (ts: string) =>
    messages()
      .filter(({ threadTs, byBot }) => threadTs === ts && byBot)
      .map(({ text }) => text);

  it('does not come back into its thread, and another one does', async () => {
    const { ts, index, comments } = await card();
    await as('ada').post('engine', 'From Slack', ts);
    await soon(comments).toHaveLength(1);
    const stolen = comments()[0] ?? '';
    // someone copies the mark: their comment is shown anyway
    bellows.forge.world.comment({ as: 'linus', repo, index, body: stolen });
    await soon(() => replies(ts)).toEqual([expect.stringContaining('linus commented')]);
    bellows.forge.world.comment({ as: 'linus', repo, index, body: 'The last word' });
    await soon(() => replies(ts)).toHaveLength(2);
    expect(replies(ts).join()).not.toContain('ada');
  }, 40_000);
});
