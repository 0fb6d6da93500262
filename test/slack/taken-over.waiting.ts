import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Shown, talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

const place = { team: 'T0BELLOWS1', channel: 'C0ENGINE01' };
const refused = 'is now another repository, so nothing was sent';

let bellows: Bellows;
let store: Store;
const { after, type, form, result } = talkTo(() => bellows);
const ada = () => bellows.slack.as('ada');
const writes = () => bellows.forge.requests.all.filter(({ method }) => method !== 'GET');

beforeAll(async () => {
  bellows = await startBellows({ threadSync: true, policy: '', pollMs: 200 });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('ada');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

let made = 0;
let repo: string;
let card: Shown;
/** An issue with its card in a synced thread of a repository of its own. */
beforeEach(async () => {
  made += 1;
  repo = `acme/taken-${made}`;
  bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name: `taken-${made}` });
  await type('ada', `subscribe ${repo} issues thread:sync`);
  bellows.forge.world.openIssue({ as: 'grace', repo, title: `Leak ${made}` });
  card = await bellows.slack.until(() =>
    ada()
      .sees('engine')
      .find(({ text }) => text.includes(`#1 Leak ${made}`)),
  );
  await vi.waitUntil(() => store.threads.itemOf(place, card.ts), 120_000);
  await type('ada', `thread agree ${repo} public`);
});

const takeOver = () => {
  bellows.forge.world.takeOverName({ as: 'ada', repo, name: `taken-${made}-old` });
  bellows.forge.requests.clear();
};

it('a button of a card changes nothing in a repository that took over the name', async () => {
  takeOver();
  expect((await after('ada', () => ada().click(card, 'Close'))).text).toContain(refused);
  expect(writes()).toEqual([]);
});

it('a form opened before sends nothing there, with values read from the forge or not', async () => {
  const shown = await type('ada', `issue show ${repo}#1`);
  await ada().click(shown, 'Comment');
  await form('ada');
  await ada().fill({ body: 'For the other one' });
  takeOver();
  expect((await after('ada', () => ada().submit())).text).toContain(refused);
  expect(writes()).toEqual([]);
});

it('a form prefilled for a typed command sends nothing there', async () => {
  await ada().command('engine', '/forge', `issue edit ${repo}#1`);
  await form('ada');
  await ada().fill({ title: 'For the other one' });
  takeOver();
  await ada().submit();
  await result('ada', refused);
  expect(writes()).toEqual([]);
});

it('a form is not filled from there', async () => {
  takeOver();
  await ada().click(card, /more/, 'Edit…');
  await result('ada', refused);
});

it('a reply does not become a comment there', async () => {
  takeOver();
  expect((await after('ada', () => ada().post('engine', 'Said here', card.ts))).text).toContain(refused);
  expect(writes()).toEqual([]);
});

it('a changed reply changes no comment there', async () => {
  const said = await ada().post('engine', 'Said before', card.ts);
  await vi.waitUntil(() => store.replies.get(place, said.ts), 120_000);
  takeOver();
  expect((await after('ada', () => ada().edit(said, 'Said again'))).text).toContain(refused);
  expect(writes()).toEqual([]);
});

it('a command in its thread is not run there', async () => {
  takeOver();
  expect((await after('ada', () => ada().post('engine', '@bellows close', card.ts))).text).toContain(refused);
  expect(writes()).toEqual([]);
});

it('is noticed right before the write', async () => {
  const id = bellows.forge.world.repo(repo)?.id;
  bellows.forge.requests.clear();
  bellows.forge.faults.add({
    on: new RegExp(`^GET /repos/${repo}$`),
    after: 1,
    trouble: { bend: (body) => Object.assign({}, body, { id: 1 + Number(id) }) },
  });
  expect((await after('ada', () => ada().click(card, 'Close'))).text).toContain(refused);
  expect(writes()).toEqual([]);
  bellows.forge.faults.clear();
});

it('a repository that was only renamed is still the same', async () => {
  bellows.forge.world.renameRepo({ as: 'ada', repo, name: `taken-${made}-new` });
  expect((await after('ada', () => ada().click(card, 'Close'))).text).toContain('Closed');
});
