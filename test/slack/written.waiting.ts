import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../src/chat/act-job.js';
import { createQueue } from '../../src/jobs/queues.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

let bellows: Bellows;
let store: Store;
beforeAll(async () => {
  bellows = await startBellows({ pollMs: 200 });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('ada');
  await bellows.slack.as('ada').command('engine', '/forge', 'subscribe acme/website issues');
  await bellows.slack.until(() => all('ada', 'engine').find(({ text }) => text.includes('subscribed this channel')));
  posted.push(postIssue());
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});
beforeEach(() => bellows.forge.requests.clear());

/** Posted by the feed while other tests run: a poll takes a second. */
const posted: number[] = [];
const postIssue = () => bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/website', title: 'Said once' }).index;

const all = (user: string, channel: string) => bellows.slack.as(user).sees(channel);
const changes = () => [...bellows.forge.requests].filter(({ method }) => method !== 'GET');

/** Writes something, and returns the answers in its thread as another member of the channel sees them. */
async function write(user: string, channel: string, text: string, thread?: string) {
  const sent = await bellows.slack.as(user).post(channel, text, thread);
  const root = channel.startsWith('D') ? thread : (thread ?? sent.ts);
  const answers = (reader = user) =>
    all(reader, channel).filter(
      ({ ts, threadTs, user: from, text: said }) =>
        threadTs === root && from === bellows.slack.botUserId && ts > sent.ts && !said.startsWith('Working on'),
    );
  return { sent, answers, answer: () => bellows.slack.until(() => answers().at(-1)) };
}

describe('a mention', () => {
  it('runs a command as its person, and shows the thread what changed', async () => {
    const { answer, answers } = await write('ada', 'engine', `@bellows issue close acme/engine#2`);
    expect((await answer()).text).toContain('Closed');
    expect(changes().map(({ path }) => path)).toEqual(['/repos/acme/engine/issues/2']);
    expect(answers('grace')).toHaveLength(1);
  });

  it('is answered only to its person if the answer is private', async () => {
    const { answer, answers } = await write('ada', 'engine', `@bellows todo`);
    expect((await answer()).onlyFor).toBe(bellows.slack.state.user('ada').id);
    expect(answers('grace')).toEqual([]);
  });

  it('never shows the channel what it may not see', async () => {
    const { answer, answers } = await write('ada', 'engine', `@bellows issue comment acme/vault#1 Between us`);
    expect((await answer()).text).toContain('vault');
    expect(answers('grace')).toEqual([]);
  });

  it('never shows it a second item that it may not see', async () => {
    const { answer, answers } = await write('ada', 'engine', `@bellows issue block acme/engine#2 acme/vault#1`);
    expect((await answer()).text).toContain('vault');
    expect(answers('grace')).toEqual([]);
  });

  it.each([
    ['is no command', 'isue close 2', 'Did you mean'],
    ['says nothing at all', '', 'help'],
    ['misses something', 'issue comment', 'needs a few details'],
    ['is far too long', `issue comment acme/engine#2 ${'a'.repeat(41_000)}`, 'too long'],
    ['is a mistake', 'issue close acme/engine#nonsense', 'Example'],
  ])('that %s is answered', async (_, text, says) => {
    const { answer } = await write('ada', 'engine', `@bellows ${text}`);
    expect(words(await answer())).toContain(says);
    expect(changes()).toEqual([]);
  });

  it('by someone without an account offers to link', async () => {
    const { answer } = await write('grace', 'engine', `@bellows issue close acme/engine#2`);
    expect(words(await answer())).toContain('Link');
    expect(changes()).toEqual([]);
  });
});

describe('a direct message', () => {
  const direct = () => bellows.slack.state.dm('ada').id;

  it('is answered in its thread, whatever it requests', async () => {
    for (const [text, says] of [
      ['issue close acme/engine#7', 'Closed'],
      ['todo', 'Assigned'],
      ['help', '/forge'],
      ['good morning', 'help'],
    ] as const) {
      const { answer } = await write('ada', direct(), text);
      expect(words(await answer())).toContain(says);
    }
    expect(changes().map(({ path }) => path)).toEqual(['/repos/acme/engine/issues/7']);
  });

  it('with the bot’s name in it is answered once', async () => {
    const { answer, answers } = await write('ada', direct(), '@bellows help');
    await answer();
    await (await write('ada', direct(), 'help')).answer();
    // its own answer, and the second one's, both in the conversation itself
    expect(answers()).toHaveLength(2);
    expect(answers().map(({ threadTs }) => threadTs)).toEqual([undefined, undefined]);
  });
});

describe('a message with a file', () => {
  it('runs like any other', async () => {
    await bellows.slack.happens.anything({
      type: 'app_mention',
      subtype: 'file_share',
      channel: 'C0ENGINE01',
      user: bellows.slack.state.user('ada').id,
      text: `<@${bellows.slack.botUserId}> issue comment acme/engine#5 See the picture`,
      ts: '1794000000.000200',
    });
    await bellows.slack.until(() => changes().length > 0 || undefined);
    expect(changes()).toHaveLength(1);
  });
});

describe('what must not run', () => {
  const close = 'issue close acme/engine#5';
  const deliver = (change: Record<string, unknown>) =>
    bellows.slack.happens.anything({
      type: 'app_mention',
      channel: 'C0ENGINE01',
      user: bellows.slack.state.user('ada').id,
      text: `<@${bellows.slack.botUserId}> ${close}`,
      ts: '1794000000.000100',
      ...change,
    });
  const isAccepted = async (ts: string) => {
    const queue = createQueue('act', { connection: store.redis, forgeId: 'main' });
    return (await queue.getJob(jobIdOf('w', 'C0ENGINE01', ts))) !== undefined;
  };
  /** Everything before it has been processed by then. */
  const afterwards = async () => (await write('ada', 'engine', '@bellows help')).answer();

  it.each([
    ['an edited message', { edited: { user: 'U0ADA00001', ts: '1' } }],
    ['a bot', { bot_id: 'B0OTHER' }],
    ['a message of a kind of its own', { subtype: 'me_message' }],
    ['somebody of another workspace', { user_team: 'T0STRANGER' }],
    ['somebody whose message names another team', { team: 'T0STRANGER' }],
    ['somebody whose message was sent from another workspace', { source_team: 'T0STRANGER' }],
    ['nobody', { user: undefined }],
    ['the bot itself', { user: 'U0BELLOWS1' }],
  ])('is what comes from %s', async (_, change) => {
    const ts = `1794000001.${Object.keys(change).join('')}`;
    await deliver({ ts, ...change });
    await afterwards();
    expect(await isAccepted(ts)).toBe(false);
    expect(changes()).toEqual([]);
  });

  it('is what comes, in a shared channel, from someone whom Slack counts to another workspace', async () => {
    const { happens, state } = bellows.slack;
    const stranger = state.user('alan');
    const home = stranger.teamId;
    stranger.teamId = 'T0STRANGER';
    await happens.share('engine', 'T0STRANGER');
    await deliver({ user: stranger.id, ts: '1794000000.000700' });
    await afterwards();
    expect(await isAccepted('1794000000.000700')).toBe(false);
    await happens.unshare('engine', 'T0STRANGER');
    stranger.teamId = home;
  });

  it('is the same event again', async () => {
    const { answer } = await write('ada', 'engine', '@bellows issue comment acme/engine#5 Once');
    await answer();
    const delivery = bellows.slack.deliveries.all.findLast(({ type }) => type === 'events_api');
    if (delivery) await bellows.slack.redeliver(delivery);
    await afterwards();
    expect(changes()).toHaveLength(1);
  });
});

describe('in the thread of a card', () => {
  const place = { team: 'T0BELLOWS1', channel: 'C0ENGINE01' };
  /** An issue's card, as the outbox leaves it. */
  async function card(title: string) {
    const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });
    const { ts } = await bellows.slack.as('grace').post('engine', title);
    const item = `r1-n${index}`;
    const url = `${bellows.config.forge.url}/acme/engine/issues/${index}`;
    await store.threads.put(place, { item, ts, about: { event: { item: { url } } } });
    return { ts, item, path: `/repos/acme/engine/issues/${index}` };
  }

  it.each([
    ['issue comment looks good to me', 'POST'],
    ['issue close', 'PATCH'],
  ])('the item is implied: %s', async (text, method) => {
    const { ts, path } = await card(text);
    await (await write('ada', 'engine', `@bellows ${text}`, ts)).answer();
    expect(changes()).toMatchObject([{ method, path: expect.stringContaining(path) }]);
  });

  it('another item is meant if it is named', async () => {
    const { ts } = await card('Not this one');
    await (await write('ada', 'engine', '@bellows issue comment acme/engine#4 This one', ts)).answer();
    expect(changes()).toMatchObject([{ path: '/repos/acme/engine/issues/4/comments' }]);
  });

  it('“Add to issue as comment” on a reply knows the item', async () => {
    const { ts, path } = await card('Said in its thread');
    const ada = bellows.slack.as('ada');
    const said = await bellows.slack.as('grace').post('engine', 'It hisses', ts);
    await ada.messageShortcut('comment_on_item', said);
    const view = await bellows.slack.until(() =>
      words(ada.openView()).includes('hisses') ? ada.openView() : undefined,
    );
    expect(words(view)).toContain(`acme/engine#${path.split('/').at(-1)}`);
    await ada.submit();
    await bellows.slack.until(() => changes().length > 0);
    expect(changes()).toMatchObject([{ method: 'POST', path: `${path}/comments` }]);
    await bellows.slack.until(() =>
      all('grace', 'engine').find(({ threadTs, ts: at }) => threadTs === ts && at > said.ts),
    );
  });

  it('one message says what was done, and the card shows it', async () => {
    const index = posted.pop() ?? postIssue();
    const shown = () =>
      all('ada', 'engine').find(({ text, threadTs }) => !threadTs && text.includes(`#${index} Said once`));
    const { ts } = await bellows.slack.until(shown);
    await expect.poll(() => store.threads.itemOf(place, ts)).toBeDefined();
    const { answer } = await write('ada', 'engine', '@bellows close', ts);
    expect((await answer()).text).toContain('Closed');
    await bellows.slack.until(() => words(shown()).includes('Closed'));
    // the next event follows: nothing is on its way anymore
    bellows.forge.world.reopen({ as: 'grace', repo: 'acme/website', index });
    const thread = () => all('grace', 'engine').filter((each) => each.threadTs === ts && each.user !== 'U0ADA00001');
    await bellows.slack.until(() => thread().some(({ text }) => text.includes('reopened')));
    expect(thread().map(({ text }) => text)).toEqual([
      expect.stringContaining('Closed'),
      expect.stringContaining('reopened'),
    ]);
  });

  it('a thread with a forged item in Redis has no item', async () => {
    const [mine, other] = [await card('Mine'), await card('Other')];
    const key = (await store.redis.keys(`*item:${mine.ts}`))[0] ?? '';
    await store.redis.set(key, other.item);
    const { answer } = await write('ada', 'engine', '@bellows issue close', mine.ts);
    expect(words(await answer())).toContain('needs a few details');
    expect(changes()).toEqual([]);
  });
});

it('suggests what can be written where slash commands do not run', async () => {
  const { answer } = await write('ada', 'general', '@bellows isue show');
  const said = words(await answer());
  expect(said).toContain('@Bellows issue show');
  expect(said).not.toContain('/forge');
});
