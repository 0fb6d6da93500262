import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, after, form } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({
    policy: 'roles:\n  maintainer:\n    users: [U0ADA00001]\n',
    pollMs: 200,
  });
  await bellows.link('ada');
  await bellows.link('grace');
  await type('ada', 'subscribe acme/engine issues');
  await type('ada', 'subscribe acme/engine issues', 'general');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const posted = (channel: string) =>
  bellows.slack.state
    .messages(channel)
    .filter(({ byBot, onlyFor, text }) => byBot && !onlyFor && !text.includes('subscribed this channel'));

it('mutes one repository here and says until when', async () => {
  const answer = await type('ada', 'mute acme/engine 2h');
  expect(answer.text).toContain('Muted acme/engine for 2h');
  const status = await type('ada', 'status');
  expect(words(status)).toContain('One repository in <#C0ENGINE01>: muted until');
});

it('collects updates during the mute, and posts them as a digest', async () => {
  // the first poll only learns what was there before
  await bellows.forge.requests.next(/activities\/feeds/);
  await bellows.forge.requests.next(/activities\/feeds/);
  for (const title of ['First import', 'Second import'])
    bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });
  // the channel that is not muted gets both
  await bellows.slack.until(() => posted('general').length >= 2);
  expect(posted('engine')).toEqual([]);
  expect((await type('ada', 'unmute acme/engine')).text).toContain('Unmuted');
  const [digest] = await bellows.slack.until(() => posted('engine').length > 0 && posted('engine'));
  expect(words(digest)).toContain('First import');
  expect(words(digest)).toContain('Second import');
});

it('mutes the whole channel, by word, by name or by default', async () => {
  expect((await type('ada', 'mute channel 30m')).text).toContain('Muted this channel for 30m');
  expect((await type('ada', 'mute #engine 1h')).text).toContain('Muted this channel for 1h');
  const answer = await type('ada', 'mute 2h');
  expect(words(await type('ada', 'status'))).toContain('(0 messages waiting)');
  expect((await click('ada', answer, 'Unmute')).text).toContain('Unmuted this channel');
  expect((await type('ada', 'unmute')).text).toContain('This channel wasn’t muted.');
});

it('says if the channel gets nothing from that repository', async () => {
  const answer = await type('ada', 'mute linus/notes 1h');
  expect(answer.text).toContain('This channel is not subscribed to linus/notes');
  expect((await type('ada', 'unmute linus/notes')).text).toContain('linus/notes wasn’t muted.');
});

it('leaves other channels to their members', async () => {
  expect((await type('ada', 'mute #general 1h')).text).toContain('Run this in the channel you want to mute');
});

it('lets maintainers mute a repository in every channel', async () => {
  expect((await type('grace', 'mute acme/engine 1h --everywhere')).text).toContain('Only maintainers');
  expect((await type('ada', 'mute acme/engine 1h --everywhere')).text).toContain('in 2 channels');
  expect((await type('ada', 'unmute acme/engine --everywhere')).text).toContain('Unmuted');
  expect((await type('ada', 'mute acme/vault 1h --everywhere')).text).toContain(
    'No channel is subscribed to acme/vault',
  );
});

it('asks for how long in a form', async () => {
  await bellows.slack.as('ada').command('engine', '/forge', 'mute acme/engine');
  await form('ada');
  await bellows.slack.as('ada').fill({ length: '45m' });
  expect((await after('ada', () => bellows.slack.as('ada').submit())).text).toContain('Muted acme/engine for 45m');
});

it('refuses what cannot be muted', async () => {
  expect((await type('ada', 'mute acme/nothing 1h')).text).toContain('I can’t find acme/nothing');
  expect((await type('ada', 'mute acme/engine 10s')).text).toContain('too short');
});
