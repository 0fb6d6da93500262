import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { after, type, form, told } = talkTo(() => bellows);
const ada = () => bellows.slack.as('ada');
const open = (repo: string, title: string) => bellows.forge.world.openIssue({ as: 'grace', repo, title });
const shown = () => JSON.stringify(ada().sees('general'));

beforeAll(async () => {
  bellows = await startBellows({ policy: '', pollMs: 200 });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('leaves a repository out of a pattern', async () => {
  await type('ada', 'subscribe acme/* issues -acme/website', 'general');
  await told('issues · -acme/website', 'general');
  open('acme/website', 'Left out');
  open('acme/engine', 'Told');
  await bellows.slack.until(() => shown().includes('Told'));
  expect(shown()).not.toContain('Left out');
  expect(words(await type('ada', 'subscribe list', 'general'))).toContain('-acme/website');
});

it('is undone by naming it, and kept by the form', async () => {
  await ada().command('general', '/forge', 'subscribe edit acme/*');
  expect(words(await form('ada'))).toContain('-acme/website');
  await ada().close();
  expect(words(await type('ada', 'subscribe list', 'general'))).toContain('-acme/website');
  await type('ada', 'unsubscribe acme/* -acme/website', 'general');
  expect(words(await type('ada', 'subscribe list', 'general'))).not.toContain('-acme/website');
});

it('is understood in the form', async () => {
  await ada().command('general', '/forge', 'subscribe');
  await form('ada');
  await ada().fill({ repositories: ['acme/*'], filter: '-acme/lib-*' });
  await after(
    'ada',
    () => ada().submit(),
    'general',
    ({ text }) => text.includes('leaves out'),
  );
  await told('-acme/lib-*', 'general');
});

it('says so if there is nothing to leave it out of', async () => {
  expect((await type('ada', 'subscribe acme/engine -acme/website', 'general')).text).toContain(
    'only works with a pattern',
  );
});
