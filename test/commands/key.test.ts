import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, after } = talkTo(() => bellows);
const adds = 'POST /repos/{owner}/{repo}/keys';
const keyOf = (letter: string) =>
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${letter}2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a`;

beforeAll(async () => {
  const policy = 'roles:\n  maintainer:\n    users: [U0ADA00001, U0GRACE001]\n';
  bellows = await startBellows({ policy });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('adds a deploy key that may only read', async () => {
  const answer = await type('ada', `key add acme/engine "build server" ${keyOf('J')} build`);
  expect(bellows.forge.requests.of(adds).at(-1)?.body).toEqual({
    title: 'build server',
    key: `${keyOf('J')} build`,
    read_only: true,
  });
  expect(words(answer)).toContain('Read only');
});

it('recognizes an existing key by its fingerprint, and sends nothing', async () => {
  const answer = await type('ada', `key add acme/engine again ${keyOf('J')}`);
  expect(answer.text).toContain('already on acme/engine: “build server” (read only');
  expect(bellows.forge.requests.of(adds)).toEqual([]);
});

it('lists the keys, never their content', async () => {
  const answer = await type('ada', 'key list acme/engine');
  expect(words(answer)).toContain('build server');
  expect(words(answer)).toContain('SHA256:');
  expect(words(answer)).not.toContain('AAAAC3');
});

it('requires a second person for a key that can write', async () => {
  const { slack, forge } = bellows;
  const ada = slack.as('ada');
  await ada.command('engine', '/forge', `key add acme/engine deploy ${keyOf('K')} --write`);
  const card = await slack.until(() => ada.sees('engine').find((shown) => words(shown).includes('it may push')));
  expect(forge.requests.of(adds)).toEqual([]);
  await slack.as('grace').click(card, 'Approve');
  await slack.until(() => ada.sees(ada.dm).find((shown) => words(shown).includes('Can write')));
  expect(forge.requests.of(adds)).toMatchObject([{ who: 'ada', body: { title: 'deploy', read_only: false } }]);
});

it('shows a dry run with the approval it would need', async () => {
  expect(words(await type('ada', `key add acme/engine x ${keyOf('L')} --dry-run`))).toContain('No approval needed.');
  expect(words(await type('ada', `key add acme/engine x ${keyOf('L')} --write --dry-run`))).toContain(
    'needs approval by one other maintainer',
  );
});

it('asks with a form, and refuses an invalid key at the field', async () => {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'key add-mine laptop');
  await form('ada');
  await ada.fill({ key: '-----BEGIN OPENSSH PRIVATE KEY-----' });
  expect(Object.values((await ada.submit()).errors).join()).toContain('This is a private key');
  await ada.fill({ key: `${keyOf('M')} ada@laptop` });
  const answer = await after('ada', () => ada.submit());
  expect(words(answer)).toContain('laptop');
  expect(bellows.forge.requests.of('POST /user/keys').at(-1)).toMatchObject({ who: 'ada', body: { title: 'laptop' } });
});

it('shows the forge’s reason when a key is taken', async () => {
  expect((await type('grace', `key add-mine mine ${keyOf('M')}`)).text).toContain('has been used');
});
