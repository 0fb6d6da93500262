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
const messages = () => bellows.slack.state.messages('engine');

const soon = <T>(look: () => T) => expect.poll(look, { interval: 100 });

/** The card of a new issue, as the feed posts it. */
async function post(title: string) {
  const { index } = bellows.forge.world.openIssue({ as: 'grace', repo, title });
  const shown = await bellows.slack.until(() => messages().find(({ text }) => text.includes(`#${index} ${title}`)));
  // an earlier reply is not known to belong to it
  await vi.waitUntil(() => store.threads.itemOf(place, shown.ts), 120_000);
  return {
    ts: shown.ts,
    index,
    comments: () => bellows.forge.world.issue(repo, index)?.comments.map(({ body }) => body) ?? [],
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
const ada = { team: place.team, user: 'U0ADA00001' };
const agree = () =>
  store.settings.put(ada, {
    kinds: {},
    quiet: null,
    repliesIn: { [`r${bellows.forge.world.repo(repo).id}`]: 'public' },
  });
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
  await type('ada', `subscribe ${repo} issues comments thread:sync`);
  cards = await Promise.all(Array.from({ length: 5 }, (_, at) => post(`Leak ${at}`)));
});
afterAll(async () => {
  await queue.close();
  await close(store.redis);
  await bellows.close();
});
beforeEach(async () => {
  bellows.forge.requests.clear();
  await agree();
});

describe('a reply in a synced thread', () => {
  it('becomes its person’s comment once, with a mark, however often Slack delivers it, and the thread stays quiet', async () => {
    const { ts, comments } = await card();
    await as('ada').post('engine', 'Looks <good> & @grace agrees', ts);
    await soon(comments).toEqual([expect.stringMatching(/^Looks <good> & @grace agrees\n\n_\[from Slack\]\(http/)]);
    const delivery = bellows.slack.deliveries.all.findLast(({ type: kind }) => kind === 'events_api');
    if (delivery) await bellows.slack.redeliver(delivery);
    await afterwards();
    expect(comments()).toHaveLength(1);
    expect(messages().filter(({ threadTs, byBot }) => threadTs === ts && byBot)).toEqual([]);
    expect(
      as('ada')
        .sees('engine')
        .filter(({ threadTs }) => threadTs === ts),
    ).toHaveLength(1);
  });

  const questions = (part = 'can be posted as comments') =>
    as('ada')
      .sees('engine')
      .filter(({ text, onlyFor }) => onlyFor && text.includes(part));
  const questionAbout = (part: string) => bellows.slack.until(() => questions(part).at(-1));

  it('asks its person once, privately; an answer counts from then on', async () => {
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
});

describe('an edit', () => {
  it('and a deletion follow; if the forge refuses, its person is notified', async () => {
    const { ts, comments } = await card();
    const said = await as('ada').post('engine', 'Frist', ts);
    await soon(comments).toHaveLength(1);
    const edited = await as('ada').edit(said, 'First');
    await soon(() => comments()[0]).toMatch(/^First\n/);
    await as('ada').remove(edited);
    await soon(comments).toEqual([]);
    const stays = await as('ada').post('engine', 'Stays', ts);
    await soon(comments).toHaveLength(1);
    bellows.forge.faults.add({ on: /^DELETE .*comments/, trouble: { status: 403, message: '' } });
    await as('ada').remove(stays);
    expect((await refusal(ts)).text).toContain('You don’t have permission to delete');
    expect(comments()).toHaveLength(1);
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
    bellows.forge.world.comment({ as: 'linus', repo, index, body: 'The last word' });
    await soon(() => replies(ts)).toHaveLength(2);
    for (const text of replies(ts)) expect(text).toContain('linus commented');
    expect(replies(ts).join()).not.toContain('ada');
  }, 40_000);
});
