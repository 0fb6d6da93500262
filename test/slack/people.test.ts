import type { ForgeOptions } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const sameAddress = (name: string, id: string) => ({ id, name, realName: name, email: `${name}@example.org` });
const users = [sameAddress('ada', 'U0ADA00001'), sameAddress('grace', 'U0GRACE001'), sameAddress('alan', 'U0ALAN0001')];
const start = (forge: ForgeOptions = {}) =>
  startBellows({ policy: 'matchEmail: true\n', slack: { seed: { users } }, forge });

describe('people with the same email address', () => {
  let bellows: Bellows;
  const { type } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await start();
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('are known without linking', async () => {
    const shown = words(await type('ada', 'people grace'));
    expect(shown).toContain('<@U0GRACE001>');
    expect(shown).toContain('same email address in Slack and on the forge');
    expect((await type('ada', 'issue assign acme/engine#2 @grace')).text).toContain('Changed assignees');
    expect(bellows.forge.requests.of('PATCH /repos/{owner}/{repo}/issues/{index}').at(-1)?.body).toMatchObject({
      assignees: expect.arrayContaining(['grace']),
    });
  });

  it.each([
    'issue comment acme/engine#2 As grace',
    'issue show acme/vault#1',
    'todo',
    'inbox',
    'pr approve acme/engine#5',
    'agents add Mine --may "issue *"',
    'signout',
  ])('do nothing as that account before they link: %s', async (line) => {
    bellows.forge.requests.clear();
    const answer = await type('grace', line);
    expect(`${answer.text} ${words(answer)}`).toMatch(/Link your forge account|not linked/);
    expect([...bellows.forge.requests].filter(({ who }) => who === 'grace')).toEqual([]);
    expect([...bellows.forge.requests].filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('are nobody if the forge does not know the name or the address', async () => {
    expect((await type('ada', 'people nosuch')).text).toContain('Nobody in Slack is linked to nosuch');
    expect((await type('ada', 'issue assign acme/engine#2 @alan')).text).toContain('has no linked forge account');
  });
});

describe('on a forge that lists no people', () => {
  let bellows: Bellows;
  const { type, after } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await start({ flavor: 'document' });
    const ada = bellows.slack.as('ada');
    await after('ada', async () => {
      await ada.command('engine', '/forge', 'signin other');
      await ada.fill({ login: 'ada', token: bellows.forge.account('ada').token() });
      await ada.submit();
    });
  });
  afterAll(() => bellows.close());

  it('nobody is known by email, and that is all', async () => {
    expect((await type('ada', 'people grace')).text).toContain('Nobody in Slack is linked to grace');
    expect((await type('ada', 'issue assign acme/engine#2 @grace')).text).toContain('has no linked forge account');
  });
});
