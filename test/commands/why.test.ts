import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { type Shown, talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);

const posted = (channel: string, title: string): Shown | undefined =>
  bellows.slack.state.messages(channel).find((each) => each.byBot && !each.onlyFor && words(each).includes(title));

beforeAll(async () => {
  bellows = await startBellows({ policy: '', pollMs: 200 });
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
  await type('ada', 'subscribe acme/engine issues');
  await type('ada', 'subscribe acme/vault issues', 'private');
  // the first poll only learns what was there before
  await bellows.forge.requests.next(/vault\/activities\/feeds/);
  await bellows.forge.requests.next(/vault\/activities\/feeds/);
  const { world } = bellows.forge;
  world.comment({ as: 'grace', repo: 'acme/engine', index: 2, body: 'Which paper?' });
  world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Oil the gears' });
  world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hide the map' });
  await bellows.slack.until(() => posted('engine', 'Oil the gears') && posted('private', 'Hide the map'));
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const engineIssue = () => [...bellows.forge.world.repo('acme/engine').issues.values()].at(-1)?.index ?? 0;

it('says which subscription and which of its words caused a post, and where', async () => {
  const answer = await type('ada', `why ${bellows.forge.url}/acme/engine/issues/${engineIssue()}`);
  expect(words(answer)).toContain('✅ Posted when it was opened (matches `issues`)');
  expect(words(answer)).toContain('subscription acme/engine');
  expect(words(answer)).toContain('Open the message');
  expect(words(answer)).toContain('/archives/C0ENGINE01/');
});

it('says which word dropped something', async () => {
  const answer = await type('ada', 'why acme/engine#2');
  expect(words(answer)).toContain('🚫 Not posted when someone commented: the subscription does not include comments');
});

it('says that another subscription of the channel posted it', async () => {
  await type('ada', 'subscribe acme/* issues');
  const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Doubly followed' });
  await bellows.slack.until(() => posted('engine', 'Doubly followed'));
  const answer = words(await type('ada', `why acme/engine#${index}`));
  expect(answer).toContain('🚫 Not posted again: another subscription in this channel already posted it');
  await type('ada', 'unsubscribe acme/*');
});

it('explains a message by its link', async () => {
  const message = posted('engine', 'Oil the gears');
  const link = `https://bellows-sandbox.slack.com/archives/C0ENGINE01/p${message?.ts.replace('.', '')}`;
  const answer = await type('ada', `why ${link}`);
  expect(words(answer)).toContain('shows one event');
  expect(words(answer)).toContain('matches `issues`');
});

it('says that nobody here follows it, and offers to', async () => {
  const answer = await type('ada', 'why acme/website#1');
  expect(answer.text).toContain('this channel is not subscribed to acme/website');
  await bellows.slack.as('ada').click(answer, 'Subscribe');
  expect(words(bellows.slack.as('ada').openView())).toContain('acme/website');
  await bellows.slack.as('ada').close();
});

it('says when the source was last polled if nothing was seen', async () => {
  const answer = await type('ada', 'why acme/engine#1');
  expect(answer.text).toContain('No event about acme/engine#1 since this channel subscribed to acme/engine');
  expect(answer.text).toContain('Last checked');
});

it('reveals nothing about what people may not see', async () => {
  expect((await type('alan', 'why acme/vault#1', 'private')).text).toContain('or you don’t have access to it');
  const there = posted('private', 'Hide the map');
  const link = `https://bellows-sandbox.slack.com/archives/C0PRIVATE1/p${there?.ts.replace('.', '')}`;
  expect((await type('alan', `why ${link}`)).text).toContain('Run this in the channel with the message');
});

it('keeps other channels to itself', async () => {
  const number = [...bellows.forge.world.repo('acme/vault').issues.values()].at(-1)?.index ?? 0;
  const owner = await type('ada', `why acme/vault#${number}`);
  expect(words(owner)).toContain('<#C0PRIVATE1>');
  await bellows.link('grace');
  const stranger = await type('grace', `why acme/vault#${number}`);
  expect(words(stranger)).toContain('1 other channel was checked');
  expect(words(stranger)).not.toContain('C0PRIVATE1');
});

it('asks for something it can look up', async () => {
  expect((await type('ada', 'why nothing')).text).toContain('Write the web address');
  const link = 'https://bellows-sandbox.slack.com/archives/C0ENGINE01/p1700000000000100';
  expect((await type('ada', `why ${link}`)).text).toContain('No record of that message');
});

it('leads on to the status', async () => {
  const answer = await type('ada', 'why acme/engine#2');
  expect((await click('ada', answer, 'Status')).text).toContain('Updates are working');
});

it('says nothing about a message whose repository the person cannot see', async () => {
  const there = posted('private', 'Hide the map');
  const link = `https://bellows-sandbox.slack.com/archives/C0PRIVATE1/p${there?.ts.replace('.', '')}`;
  const message = words(await type('alan', `why ${link}`, 'private'));
  expect(message).toContain('You can’t see what that message is about');
  expect(message).not.toMatch(/acme\/vault|issues:opened/);
});

it('says nothing about the part of a private repository that the person cannot see', async () => {
  const { world } = bellows.forge;
  world.createTeam({ org: 'acme', name: 'scribes', allRepos: true, units: { wiki: 'read' }, members: ['linus'] });
  const { size } = world.repo('acme/vault').issues;
  expect(words(await type('ada', `why acme/vault#${size}`, 'private'))).toContain('✅ Posted');
  const answer = words(await type('alan', `why acme/vault#${size}`, 'private'));
  expect(answer).not.toContain('Posted');
  expect(answer).not.toContain('issues:opened');
  const there = posted('private', 'Hide the map');
  const link = `https://bellows-sandbox.slack.com/archives/C0PRIVATE1/p${there?.ts.replace('.', '')}`;
  expect(words(await type('ada', `why ${link}`, 'private'))).toContain('matches `issues`');
  const message = words(await type('alan', `why ${link}`, 'private'));
  expect(message).toContain('You can’t see what that message is about');
  expect(message).not.toContain('issues:opened');
});
