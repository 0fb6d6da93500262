import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({
    policy: 'roles:\n  admin:\n    users: [U0ADA00001]\n',
    publicUrl: 'https://bellows.example.org/',
  });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows the token once, with what it is good for', async () => {
  const answer = await type('ada', 'agents add "Release bot" --may "issue *, run rerun" --repos acme/* --expires 30d');
  expect(JSON.stringify(bellows.slack.as('grace').sees('engine'))).not.toContain('bwa_');
  const shown = words(answer);
  expect(shown).toMatch(/bwa_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/);
  for (const part of [
    'Release bot',
    '`issue *`, `run rerun`',
    '`acme/*`',
    '30 calls per minute',
    '<#C0ENGINE01>',
    'expires',
  ])
    expect(shown).toContain(part);
  expect(shown).toMatch(/Token for your agent \*Release bot\* \(\d+ commands, runs as you\)/);
  for (const part of ['https://bellows.example.org/mcp', '.vscode/mcp.json', 'mcpServers'])
    expect(shown).toContain(part);
  expect(shown.match(/bwa_/g)).toHaveLength(1);
  const list = words(await type('ada', 'agents list'));
  expect(list).toContain('Release bot');
  expect(list).toContain('never used');
  expect(list).not.toContain('bwa_');
});

it.each([
  ['Wide --may "nonsense *"', 'No command matches “nonsense *”'],
  ['Wide --may "signin"', 'signin is not available to agents'],
  ['Wide --may "agents *"', 'agents add is not available to agents'],
  ['Wide --may "issue (a|b)"', 'Patterns can only use'],
  ['Wide --may "issue *" --repos everything', 'is not valid here'],
  ['Wide --may "issue *" --expires 91d', 'too long'],
  ['Wide --may "issue *" --expires 1m', 'too short'],
  ['Wide --may "issue *" --pace 1000', 'Calls per minute'],
  ['"release BOT" --may "issue *"', 'You already have an agent named'],
  ['"✅ Approved by ada" --may "issue *"', 'can only use letters'],
  ['":white_check_mark: Done" --may "issue *"', 'can only use letters'],
  ['"Bot *bold*" --may "issue *"', 'can only use letters'],
  ['"<@U0GRACE001>" --may "issue *"', 'can only use letters'],
  ['"Approved by ada" --may "issue *"', 'reads like a decision'],
  ['"ｄｅｎｉｅｄ by grace" --may "issue *"', 'reads like a decision'],
  ['"De\u0301nied by grace" --may "issue *"', 'reads like a decision'],
  ['"\u0410pproved by ada" --may "issue *"', 'mix letters of several alphabets'],
  ['"\u0251pproved by ada" --may "issue *"', 'mix letters of several alphabets'],
  ['"\u1d00\u1d18\u1d18\u0280\u1d0f\u1d20\u1d07\u1d05" --may "issue *"', 'mix letters of several alphabets'],
  ['"\ua4ee\ua4d1\ua4d1\ua4e3\ua4f3\ua4e6\ua4f0\ua4d3" --may "issue *"', 'mix letters of several alphabets'],
  ['"Appro\u3164ved by ada" --may "issue *"', 'can only use letters'],
  ['"App-ro ved by ada" --may "issue *"', 'reads like a decision'],
  ['"Appr0ved by ada" --may "issue *"', 'reads like a decision'],
  ['"Den\u0131ed by grace" --may "issue *"', 'reads like a decision'],
  [`${'x'.repeat(41)} --may "issue *"`, 'too long'],
])('refuses %s', async (line, says) => {
  expect(words(await type('ada', `agents add ${line}`))).toContain(says);
});

it.each(['リリース bot', 'Бот выпуска', 'Søren’s bot (nightly)'])(
  'takes names as people write them: %s',
  async (name) => {
    expect((await type('ada', `agents add "${name}" --may "issue *"`)).text).toContain('Token for your agent');
    expect(words(await type('ada', `agents revoke ${name}`))).toContain('Its token no longer works');
  },
);

it('asks for what is missing in a form', async () => {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'agents add');
  const view = await bellows.slack.until(() => ada.openView());
  expect(words(view)).toContain('Commands');
  await ada.close();
});

it('shows a person their own, and an admin everyone’s', async () => {
  expect(words(await type('grace', 'agents list'))).toContain('You have no agents');
  await type('grace', 'agents add Helper --may "issue *"');
  expect(words(await type('grace', 'agents list --everyone'))).toContain('Only admins');
  const all = words(await type('ada', 'agents list --everyone'));
  expect(all).toContain('Release bot');
  expect(all).toMatch(/Helper.*acts for <@U0GRACE001>/);
});

it('revokes by name, and nobody else’s', async () => {
  expect(words(await type('grace', 'agents revoke Release bot'))).toContain('You have no agent named Release bot');
  const list = await type('grace', 'agents list');
  expect(words(list)).toContain('Revoke Helper?');
  expect(words(await click('grace', list, 'Revoke'))).toContain('Revoked *Helper*');
  expect(words(await type('ada', 'agents revoke release bot'))).toContain('Its token no longer works');
  expect(words(await type('ada', 'agents list'))).toContain('You have no agents');
  expect(words(await type('ada', 'audit agents'))).toContain('agents revoke');
});

it('needs a linked account', async () => {
  expect(words(await type('alan', 'agents add Loose --may "issue *"'))).toContain('Link your forge account');
});
