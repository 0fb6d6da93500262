import type { Message } from '@bellows/sandbox/slack';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

const repo = 'acme/engine';
let bellows: Bellows;
let store: Store;
let now = Date.now();
const { type } = talkTo(() => bellows);
beforeAll(async () => {
  bellows = await startBellows({ policy: '', pollMs: 200, tempo: { followMs: 100 } });
  store = createStore({
    redis: connect(bellows.redisUrl),
    forgeId: 'main',
    seal: createSeal(testKeys),
    now: () => now,
  });
  await bellows.link('ada');
  await type('ada', `subscribe ${repo} issues`);
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

const open = (title: string) => bellows.forge.world.openIssue({ as: 'grace', repo, title }).index;
const shut = (index: number) => bellows.forge.world.close({ as: 'grace', repo, index });
const card = ({ ts }: Message) =>
  JSON.stringify(bellows.slack.state.messages('engine').find((each) => each.ts === ts)?.unfurls);
const has = (message: Message, words: string) =>
  bellows.slack.until(() => (card(message)?.includes(words) ? card(message) : undefined));

async function posted(index: number): Promise<Message> {
  const message = await bellows.slack.as('ada').post('engine', `see ${bellows.forge.url}/${repo}/issues/${index}`);
  await has(message, 'Open');
  await vi.waitUntil(async () => (await store.links.of(`r1-n${index}`)).length === 1, 120_000);
  return message;
}

const refuse = ({ ts: of }: Message, error: string) =>
  bellows.slack.faults.next('chat.unfurl', { kind: 'error', error }, 1, ({ ts }) => ts === of);

// the forge counts whole seconds
describe.concurrent('a card under a link', () => {
  it('is updated with its item', async () => {
    const index = open('Followed');
    const message = await posted(index);
    shut(index);
    expect(await has(message, 'Closed')).toContain('Followed');
  });

  it('is updated later if Slack has a temporary problem', async () => {
    const index = open('Kept');
    const message = await posted(index);
    refuse(message, 'internal_error');
    shut(index);
    expect(await has(message, 'Closed')).toContain('Kept');
  });

  it('is forgotten if Slack takes no card there', async () => {
    const index = open('Refused');
    refuse(await posted(index), 'cannot_find_message');
    shut(index);
    await vi.waitUntil(async () => (await store.links.of(`r1-n${index}`)).length === 0, 120_000);
  });

  it('is redrawn for seven days from when it was posted, however often it changes', async () => {
    const index = open('Changes often');
    const message = await posted(index);
    const [first] = await store.links.of(`r1-n${index}`);
    shut(index);
    await has(message, 'Closed');
    await vi.waitUntil(async () => (await store.links.of(`r1-n${index}`))[0]?.shown !== first?.shown, 120_000);
    expect((await store.links.of(`r1-n${index}`))[0]?.at).toBe(first?.at);
  });
});

it('is due again if its worker stops, and after a change meanwhile', async () => {
  const person = { team: 'T0BELLOWS1', user: 'U0ADA00001' };
  const item = 'r8-n8';
  const url = 'https://git.example.org/a/b/issues/8';
  await store.links.put(item, person, { channel: 'C0ENGINE01', ts: '8.1', url, shown: '' });
  // far ahead of the running worker
  now += 3_600_000;
  const due = async () => (await store.links.due(5, 30_000)).filter((each) => each.item === item);
  await store.links.touch(item, 0);
  const [first] = await due();
  if (!first) throw new Error('nothing is due');
  expect(await due()).toEqual([]);
  await store.links.touch(item, 1_000);
  await store.links.finish(first);
  now += 1_000;
  const [second] = await due();
  if (!second) throw new Error('the change is lost');
  now += 30_000;
  const [third] = await due();
  if (!third) throw new Error('the stopped worker’s work is lost');
  await store.links.finish(third);
  now += 3_600_000;
  expect(await due()).toEqual([]);
  now = Date.now();
});

it('after seven days stays unchanged, and an item keeps twenty at most', async () => {
  const person = { team: 'T0BELLOWS1', user: 'U0ADA00001' };
  const link = (ts: string) => ({ channel: 'C0ENGINE01', ts, url: 'https://git.example.org/a/b/issues/1', shown: '' });
  for (let at = 0; at < 25; at++) await store.links.put('r9-n9', person, link(`${at}.1`));
  expect(await store.links.of('r9-n9')).toHaveLength(20);
  now += 8 * 86_400_000;
  expect(await store.links.of('r9-n9')).toEqual([]);
  now = Date.now();
});

it('shows nobody what a person sees because someone wrote a link into Redis', async () => {
  const url = `${bellows.forge.url}/acme/vault/issues/1`;
  const { ts } = await bellows.slack.as('alan').post('private', `see ${url}`);
  const item = `r${bellows.forge.world.repo('acme/vault').id}-n1`;
  const poster = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const field = `C0PRIVATE1-${ts}-forged`;
  const forged = { v: 1, ...poster, channel: 'C0PRIVATE1', ts, url, shown: '', at: Date.now() };
  await store.redis.hset(`bellows:{main:links}:of:${item}`, field, JSON.stringify(forged));
  await store.links.touch(item, 0);
  await expect.poll(() => store.redis.zscore('bellows:{main:links}:due', item)).toBeNull();
  expect(JSON.stringify(bellows.slack.state.messages('private'))).not.toContain('Rotate the signing keys');
  await expect
    .poll(async () => (await store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => entry.target))
    .toEqual([`${item} ${field}`]);
});
