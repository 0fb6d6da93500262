import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Shown, talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  rules:
    - { command: issue comment, repository: acme/engine, approve: admin }
    - { command: thread edit, approve: admin }
    - { command: thread delete, approve: admin }
`;

let bellows: Bellows;
let store: Store;
const { type, form } = talkTo(() => bellows);
const ada = () => bellows.slack.as('ada');
const comments = () => bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues/{index}/comments');
const changes = () =>
  bellows.forge.requests.all.filter(({ method, path }) => /PATCH|DELETE/.test(method) && path.includes('/comments/'));
const privately = (part: string, more = ''): Promise<Shown> =>
  bellows.slack.until(() =>
    ada()
      .sees('engine')
      .find(({ text, onlyFor, blocks }) => onlyFor && text.includes(part) && words({ blocks }).includes(more)),
  );

async function post(repo: string, title: string) {
  const { index } = bellows.forge.world.openIssue({ as: 'grace', repo, title });
  const find = () => bellows.slack.state.messages('engine').find(({ text }) => text.includes(`#${index} ${title}`));
  const shown = await bellows.slack.until(find);
  // an earlier reply is not known to belong to it
  await vi.waitUntil(() => store.threads.itemOf({ team: 'T0BELLOWS1', channel: 'C0ENGINE01' }, shown.ts), 120_000);
  return { ...shown, index };
}

const repoOf = { Guarded: 'acme/engine', Lengthy: 'acme/engine', Typed: 'acme/engine', Open: 'acme/website' } as const;
type Title = keyof typeof repoOf;
/** One for each test, posted together: a poll takes a second. */
const cards = new Map<Title, Awaited<ReturnType<typeof post>>>();
async function card(title: Title) {
  const shown = cards.get(title) ?? (await post(repoOf[title], title));
  cards.delete(title);
  return shown;
}

beforeAll(async () => {
  bellows = await startBellows({ threadSync: true, policy, pollMs: 200 });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('ada');
  for (const repo of ['acme/engine', 'acme/website']) {
    await type('ada', `thread agree ${repo} public`);
    await type('ada', `subscribe ${repo} issues comments thread:sync`);
  }
  const titles = ['Guarded', 'Lengthy', 'Typed', 'Open'] as const;
  await Promise.all(titles.map(async (title) => cards.set(title, await post(repoOf[title], title))));
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});
beforeEach(() => bellows.forge.requests.clear());

it('keeps a reply in Slack if comments need approval, and offers to request it', async () => {
  const { ts, index } = await card('Guarded');
  await ada().post('engine', 'Ship it', ts);
  const told = await privately('Your reply was not posted on acme/engine');
  expect(told.text).toContain('need approval by one other admin');
  expect(comments()).toEqual([]);
  await ada().click(told, 'Request comment');
  expect(words(await form('ada'))).toContain('Ship it');
  await ada().submit();
  const isCard = ({ blocks }: { readonly blocks: readonly unknown[] }) => words({ blocks }).includes('"Approve"');
  const asked = await bellows.slack.until(() => bellows.slack.state.messages('engine').find(isCard));
  expect(words(asked)).toContain(`issue comment acme/engine#${index} `);
  expect(comments()).toEqual([]);
});

it('names the command to type if the reply is too long for a button', async () => {
  const { ts, index } = await card('Lengthy');
  await ada().post('engine', 'Long. '.repeat(500), ts);
  const told = await privately('Your reply was not posted on acme/engine', `/forge issue comment acme/engine#${index}`);
  expect(words(told)).not.toContain('"button"');
  expect(comments()).toEqual([]);
});

it('refuses the same command typed by hand', async () => {
  const { index } = await card('Typed');
  const { text } = await type('ada', `thread comment acme/engine#${index} Around it`);
  expect(text).toContain('Your reply was not posted on acme/engine');
  expect(comments()).toEqual([]);
});

it('posts replies where no approval is needed, and does not change them if that would have to wait', async () => {
  const { ts } = await card('Open');
  const said = await ada().post('engine', 'Hello', ts);
  await expect.poll(() => comments().length).toBe(1);
  const stays = () =>
    ada()
      .sees('engine')
      .filter(({ text }) => text.includes('Its comment stays on the forge as it is.'));
  const edited = await ada().edit(said, 'Hello there');
  await bellows.slack.until(() => stays().length === 1);
  await ada().remove(edited);
  await bellows.slack.until(() => stays().length === 2);
  expect(changes()).toEqual([]);
});
