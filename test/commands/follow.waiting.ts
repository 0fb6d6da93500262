import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const repo = 'acme/engine';
let first = 0;
const world = () => bellows.forge.world;
const open = (title: string) => world().openIssue({ as: 'grace', repo, title }).index;
const say = (index: number, body: string, as = 'grace') => world().comment({ as, repo, index, body });
const ada = () => bellows.slack.as('ada');
const shown = (where: string) => JSON.stringify(ada().sees(where));
const appears = (where: string, text: string) => bellows.slack.until(() => shown(where).includes(text));

beforeAll(async () => {
  bellows = await startBellows({ policy: '', pollMs: 500 });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('posts everything about one item to the channel and nothing else of its repository', async () => {
  const [one, other] = [open('Leaking valve'), open('Loose bolt')];
  first = one;
  const answer = await type('ada', `follow ${repo}#${one}`);
  expect(answer.text).toContain(`ada follows ${repo}#${one} Leaking valve in this channel.`);
  say(other, 'Not for you');
  say(one, 'It drips again');
  await appears('engine', 'It drips again');
  expect(shown('engine')).not.toContain('Not for you');
  expect(words(await type('ada', 'subscribe list'))).toContain(`#${one}`);
  expect((await type('ada', `follow ${repo}#${one}`)).text).toContain('Already following');
});

it('stops, and ends the subscription with its last item', async () => {
  const index = open('Short story');
  const before = open('Long story');
  await type('ada', `unfollow ${repo}#${first}`);
  await type('ada', `follow ${repo}#${before}`);
  await type('ada', `follow ${repo}#${index}`);
  await type('ada', `unfollow ${repo}#${before}`);
  expect(words(await type('ada', 'subscribe list'))).toContain(`#${index}`);
  expect((await type('ada', `unfollow ${repo}#${index}`)).text).toContain('topped following');
  expect((await type('ada', 'subscribe list')).text).toContain('No subscriptions');
  expect((await type('ada', `unfollow ${repo}#${index}`)).text).toContain('is not following');
});

it('posts to one’s direct messages, each comment once, and not one’s own', async () => {
  const index = open('Rusty wheel');
  expect((await type('ada', `follow ${repo}#${index} --me`)).text).toContain('Updates come to your direct messages');
  say(index, 'My own words', 'ada');
  say(index, '@ada it squeaks');
  say(index, 'And now it stands still');
  await appears(ada().dm, 'stands still');
  expect(shown(ada().dm)).not.toContain('My own words');
  expect(shown(ada().dm).split('stands still').length).toBe(shown(ada().dm).split('it squeaks').length);
  expect((await type('ada', `unfollow ${repo}#${index} --me`)).text).toContain('topped following');
});

it('adds to the channel’s subscription, and subscribing adds the rest', async () => {
  const index = open('Third gear');
  await type('ada', `subscribe ${repo} releases`);
  await type('ada', `follow ${repo}#${index}`);
  expect(words(await type('ada', 'subscribe list'))).toContain(`releases · \`#${index}\``);
  await type('ada', `unsubscribe ${repo}`);
  await type('ada', `follow ${repo}#${index}`);
  expect((await type('ada', `subscribe ${repo}`)).text).toContain('issues, pull requests, commits, releases');
  await type('ada', `unsubscribe ${repo}`);
});

it('refuses what may not be shown in the channel, and what the person cannot see', async () => {
  const { index } = world().openIssue({ as: 'ada', repo: 'acme/vault', title: 'Signing keys' });
  expect((await type('ada', `follow acme/vault#${index}`, 'general')).text).toContain('everyone can read this channel');
  await bellows.link('alan', 'linus');
  expect((await type('alan', `follow acme/vault#${index} --me`)).text).not.toContain('Following');
});

it('is in the menu of what is shown, and so is stopping', async () => {
  const index = open('Hot bearing');
  const shown = await type('ada', `issue show ${repo}#${index}`);
  expect((await click('ada', shown, 'more', 'Follow')).text).toContain(`follows ${repo}#${index} Hot bearing`);
  const again = await type('ada', `issue show ${repo}#${index}`);
  expect(words(again)).not.toContain('"Follow"');
  expect((await click('ada', again, 'more', 'Stop following')).text).toContain('topped following');
  world().push({ as: 'grace', repo, branch: 'bearing', commits: ['Bearing'] });
  const pull = world().openPull({ as: 'grace', repo, title: 'Cool bearing', head: 'bearing' }).index;
  const drawn = await type('ada', `pr show ${repo}#${pull}`);
  expect((await click('ada', drawn, 'more', 'Follow')).text).toContain('Cool bearing');
  await type('ada', `unfollow ${repo}#${pull}`);
});

it('is in the menu of a card in a channel', async () => {
  await type('ada', `subscribe ${repo} issues`);
  const index = open('Bent rod');
  await appears('engine', 'Bent rod');
  const card = ada()
    .sees('engine')
    .find(({ text, onlyFor }) => onlyFor === undefined && text.includes('Bent rod'));
  expect(words(card)).toContain('"Follow"');
  if (card) expect((await click('ada', card, 'more', 'Follow')).text).toContain(`follows ${repo}#${index}`);
  say(index, 'Not subscribed to, but followed');
  await appears('engine', 'but followed');
  await type('ada', `unsubscribe ${repo}`);
});
