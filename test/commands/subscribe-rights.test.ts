import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { told, after, type, typePrivately } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('applies a pattern to what the person sees, and silently leaves out the rest', async () => {
  const answer = await type('alan', 'subscribe acme/* issues', 'private');
  expect(answer.text).toContain('subscribed this channel to acme/*');
  expect(words(answer)).toContain('2 repositories; new ones');
  expect(words(answer)).not.toContain('vault');
});

/** Without the parts that depend on the clock. */
const said = (answer: Parameters<typeof words>[0]) =>
  words(answer).replaceAll(/"block_id":"\w+"|[⏳✅🐢] (?:acme|your)| · [^"]*|none yet| Last checked [^"]*/gu, '');

it('answers the same whether a hidden repository matches or none does', async () => {
  const answers = [];
  for (const pattern of ['acme/v*', 'acme/q*']) {
    for (const line of [`subscribe ${pattern} --preview`, `subscribe ${pattern}`, 'subscribe list', 'status']) {
      const answer = await type('alan', line, 'general');
      answers.push(said(answer).replaceAll(pattern, '…'));
    }
    await type('alan', `unsubscribe ${pattern}`, 'general');
  }
  expect(answers.slice(0, 4)).toEqual(answers.slice(4));
  expect(answers.join()).not.toContain('vault');
});

it('leaves out of a public channel what may not be shown there, and tells people who see it', async () => {
  const answer = await typePrivately('ada', 'subscribe acme/* issues', 'engine');
  expect(words(answer)).toContain('leaves out vault: it is private');
  const channels = words(await told('subscribed this channel to acme/*'));
  expect(channels).not.toContain('vault');
  expect(channels).toContain('2 repositories; new ones');
  const previewed = await type('ada', 'subscribe acme/* --preview 30d', 'engine');
  expect(words(previewed)).not.toContain('signing keys');
});

/** What stands behind the button of a channel's status. */
async function details(user: string, line: string, channel: string): Promise<string> {
  const brief = await type(user, line, channel);
  return words(await after(user, () => bellows.slack.as(user).click(brief, 'Show details'), channel));
}

it('names nothing in status that only the bot’s account sees', async () => {
  await expect.poll(() => details('ada', 'status', 'engine')).toContain('acme/website (activity)');
  expect(await details('alan', 'status', 'engine')).not.toContain('vault');
  await type('ada', 'subscribe acme/vault issues', 'private');
  expect(await details('ada', 'status', 'private')).toContain('acme/vault (activity)');
  const all = await details('ada', 'status --all', 'engine');
  expect(all).not.toContain('vault');
  expect(all).toContain('a private repository (activity)');
});

it('leaves a subscription as it is if the person who edits it cannot see its repository', async () => {
  await type('ada', 'subscribe acme/vault issues', 'private');
  const answer = await type('alan', 'subscribe edit acme/vault --runs failure', 'private');
  expect(answer.text).toContain('I can’t find acme/vault, or you don’t have access to it');
  expect(words(await type('ada', 'subscribe list', 'private'))).not.toContain('failed runs');
});

it('shows someone who has only the wiki of a private repository none of its issues, commits and runs', async () => {
  const { world } = bellows.forge;
  world.createTeam({ org: 'acme', name: 'scribes', allRepos: true, units: { wiki: 'read' }, members: ['linus'] });
  const seen = words(await type('ada', 'subscribe acme/vault issues commits runs --preview 30d', 'private'));
  expect(seen).toContain('Count the spare keys');
  const previewed = words(await type('alan', 'subscribe acme/vault issues commits runs --preview 30d', 'private'));
  expect(previewed).toContain('*0 messages*');
  expect(previewed).not.toContain('spare keys');
  const answer = await typePrivately('alan', 'subscribe acme/vault issues commits', 'private');
  expect(words(answer)).toContain('Not posted here, because you can’t see it in acme/vault: issues, code.');
});
