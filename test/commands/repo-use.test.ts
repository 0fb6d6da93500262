import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, after, opens, told } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('sets the channel’s repository for everyone there, so that a number is enough', async () => {
  expect(words(await opens('ada', 'issue show #2'))).toContain('Repository of #2');
  expect((await type('ada', 'repo use ACME/engine')).text).toContain(
    'This channel’s default repository is now acme/engine',
  );
  expect((await type('alan', 'issue show #2')).text).toContain('Print results on paper');
  expect(words(await opens('ada', 'issue show #2', 'general'))).toContain('Repository of #2');
});

it('shows it when nothing is typed', async () => {
  expect((await type('ada', 'repo use')).text).toContain('acme/engine');
});

it('removes it again', async () => {
  expect((await type('ada', 'repo use none')).text).toContain('Cleared this channel’s default repository');
  expect(words(await opens('ada', 'issue show #2'))).toContain('Repository of #2');
});

it('does not set what the person cannot see', async () => {
  expect((await type('alan', 'repo use acme/vault')).text).toContain(
    'I can’t find acme/vault, or you don’t have access to it',
  );
});

it('is not a repository that the channel may not see', async () => {
  expect((await type('ada', 'repo use acme/vault')).text).toContain('private and everyone can read this channel');
  expect(words(await opens('ada', 'issue show #2'))).toContain('Repository of #2');
  expect(words(await type('ada', 'repo use acme/vault', 'private'))).toContain('default repository is now');
});

it('is not named to people who cannot see it', async () => {
  const { text } = await type('alan', 'repo use', 'private');
  expect(text).toBe(
    'You can’t see this channel’s default repository, or it no longer exists. To use another one, run /forge repo use owner/repo.',
  );
  expect((await type('ada', 'repo use', 'private')).text).toContain('acme/vault');
  // what they type is answered as in any other channel
  for (const channel of ['private', 'general'])
    expect((await type('alan', 'repo use acme/vault', channel)).text).toContain('I can’t find acme/vault');
});

it('is not shown once the repository is hidden from the channel, and still used', async () => {
  const ada = bellows.slack.as('ada');
  const launched = async (channel: string) => {
    await ada.command(channel, '/forge', '');
    const shown = words(await bellows.slack.until(() => ada.openView()));
    await ada.close();
    return shown;
  };
  await type('ada', 'repo use acme/website');
  expect(await launched('engine')).toContain('acme/website');
  expect(await launched('private')).toContain('acme/vault');
  bellows.forge.world.setPrivate({ repo: 'acme/website', private: true });
  expect(await launched('engine')).not.toContain('acme/website');
  await ada.command('engine', '/forge', 'issue create');
  expect(words(await form('ada'))).not.toContain('acme/website');
  await ada.close();
  expect((await type('ada', 'issue show #1')).text).not.toContain('Which repository?');
  bellows.forge.world.setPrivate({ repo: 'acme/website', private: false });
  await type('ada', 'repo use none');
});

type View = Awaited<ReturnType<typeof form>>;
const inputIn = ({ blocks }: View, name: string) =>
  blocks.find((block) => block['type'] === 'input' && block['block_id'] === name);
const isNeeded = (view: View, name: string) => (inputIn(view, name)?.['optional'] ?? false) === false;

it('asks for the repository of a number in a form where the channel has none', async () => {
  const ada = bellows.slack.as('ada');
  await ada.command('general', '/forge', 'issue close #2');
  const view = await form('ada');
  expect(inputIn(view, 'issue')).toMatchObject({ label: { text: 'Repository of #2' } });
  expect(isNeeded(view, 'issue')).toBe(true);
  await ada.fill({ issue: 'acme/engine' });
  expect((await after('ada', () => ada.submit(), 'general')).text).toContain('Closed #2');
  await type('ada', 'issue reopen acme/engine#2', 'general');
});

it.each(['issue create A title', 'run list', 'workflow list', 'repo commits'])(
  'never calls the repository optional there: %s',
  async (line) => {
    const view = await opens('ada', line, 'general');
    expect(inputIn(view, 'repository')).toMatchObject({ label: { text: 'Repository' } });
    expect(isNeeded(view, 'repository')).toBe(true);
  },
);

it.each(['subscribe', 'subscribe issues', 'unsubscribe commits'])('nor of what is subscribed to: %s', async (line) => {
  const view = await opens('ada', line, 'general');
  expect(isNeeded(view, 'repositories')).toBe(true);
});

it.each([
  ['why #2', 'about'],
  ['project close #1', 'project'],
  ['project column-add #1 Doing', 'project'],
])('asks for it instead of ending there: %s', async (line, name) => {
  const view = await opens('ada', line, 'general');
  expect(inputIn(view, name)).toMatchObject({ label: { text: expect.stringMatching(/^Repository of #\d$/) } });
  expect(isNeeded(view, name)).toBe(true);
});

it('offers all repositories of an owner', async () => {
  const ada = bellows.slack.as('ada');
  await ada.command('general', '/forge', 'subscribe');
  await form('ada');
  await ada.fill({ repositories: ['acme/*'], features: ['Releases'] });
  await ada.submit();
  await told('subscribed this channel to acme/*', 'general');
  await type('ada', 'unsubscribe acme/*', 'general');
});

it('may be left empty where the channel has one', async () => {
  await type('ada', 'repo use acme/engine', 'general');
  expect(isNeeded(await opens('ada', 'issue create', 'general'), 'repository')).toBe(false);
  await type('ada', 'repo use none', 'general');
});

it('is missing at its field, also in the form of a message', async () => {
  const ada = bellows.slack.as('ada');
  await ada.messageShortcut('create_issue', await ada.post('general', 'The boiler leaks'));
  expect(isNeeded(await form('ada'), 'repository')).toBe(true);
  expect((await ada.submit()).errors).toHaveProperty('repository');
  await ada.close();
});
