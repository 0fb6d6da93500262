import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const policy = 'people:\n  margaret: U0GRACE001\n';

beforeAll(async () => {
  bellows = await startBellows({ policy });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows who is who, and how that is known', async () => {
  const shown = words(await type('ada', 'people'));
  expect(shown).toMatch(/<@U0ADA00001> is <[^>]*\|ada>\\nlinked their account/);
  expect(shown).toMatch(/<@U0GRACE001> is <[^>]*\|margaret>\\nset in bellows.yaml/);
});

it('finds one by Slack name and by login', async () => {
  expect(words(await type('ada', 'people @grace'))).toContain('|margaret>');
  expect(words(await type('ada', 'people margaret'))).toContain('<@U0GRACE001>');
  expect((await type('ada', 'people linus')).text).toContain('Nobody in Slack is linked to linus');
});

it('needs no linked account', async () => {
  expect(words(await type('alan', 'people'))).toContain('|ada>');
});

it('prefers what people linked themselves', async () => {
  await bellows.link('grace');
  const shown = words(await type('ada', 'people'));
  expect(shown).toContain('|grace>');
  expect(shown).not.toContain('|margaret>');
});

it('names people to the forge by the login their account has now', async () => {
  const { world } = bellows.forge;
  world.renameUser({ login: 'grace', to: 'hopper' });
  world.renameUser({ login: 'ada', to: 'lovelace' });
  for (const login of ['grace', 'ada']) {
    world.createUser({ login });
    world.setCollaborator({ repo: 'acme/engine', login, level: 'write' });
  }
  const { index } = world.openIssue({ as: 'linus', repo: 'acme/engine', title: 'Rattles' });
  const assigned = () => world.issue('acme/engine', index)?.assignees.map(({ login }) => login);
  await type('ada', `issue assign acme/engine#${index} <@U0GRACE001|grace> me`);
  expect(assigned()).toEqual(['hopper', 'lovelace']);
  expect(words(await type('ada', 'people hopper'))).toContain('<@U0GRACE001>');
});

it('names nobody whose login belongs to someone else and whose account does not answer', async () => {
  const { world } = bellows.forge;
  const grace = world.user('hopper');
  if (grace) grace.prohibitLogin = true;
  world.renameUser({ login: 'hopper', to: 'admiral' });
  world.createUser({ login: 'hopper' });
  const { index } = world.openIssue({ as: 'linus', repo: 'acme/engine', title: 'Rattles again' });
  const answer = await type('ada', `issue assign acme/engine#${index} <@U0GRACE001|grace>`);
  expect(answer.text).toContain('@grace has no linked forge account');
  expect(world.issue('acme/engine', index)?.assignees).toEqual([]);
});
