import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { people } from './deciding.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const admins = { id: 'S0ADMINS01', handle: 'admins', users: ['U0MEMBER01'] };
const edits = 'PATCH /admin/actions/runners/{runner_id}';
const removes = 'DELETE /admin/actions/runners/{runner_id}';

beforeAll(async () => {
  const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n    groups: [S0ADMINS01]\n';
  bellows = await startBellows({ policy, slack: { seed: { users: people, userGroups: [admins] } } });
  await bellows.link('member', 'ada');
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('lists runners with their state', async () => {
  const all = words(await type('ada', 'runner list'));
  expect(all).toContain('builder-1');
  expect(all).toContain('🔴 Offline');
  const off = words(await type('ada', 'runner list --only disabled'));
  expect(off).toContain('⏸️ Disabled');
  expect(off).not.toContain('builder-1');
});

it('shows one by name or id', async () => {
  expect((await type('ada', 'runner show builder-1')).text).toContain('builder-1');
  expect((await type('ada', 'runner show 3')).text).toContain('short-lived-3');
  expect((await type('ada', 'runner show nowhere')).text).toContain('I can’t find the runner nowhere');
});

it('disables one, and enables it with a button', async () => {
  const off = await type('ada', 'runner disable builder-1');
  expect(off.text).toContain('Disabled');
  expect((await click('ada', off, 'Undo')).text).toContain('Enabled runner builder-1 again');
  expect(bellows.forge.requests.of(edits).map(({ body }) => body)).toEqual([{ disabled: true }, { disabled: false }]);
});

it('sends nothing if it already is', async () => {
  expect((await type('ada', 'runner enable builder-1')).text).toContain('Already enabled');
  expect(bellows.forge.requests.of(edits)).toEqual([]);
});

it('does not undo what someone has changed since', async () => {
  const off = await type('ada', 'runner disable builder-1');
  await type('ada', 'runner enable builder-1');
  expect((await click('ada', off, 'Undo')).text).toContain('someone changed it since (disabled is now false');
});

it('undoes nothing for a person who has lost the role since', async () => {
  const off = await type('member', 'runner disable builder-1');
  expect(off.text).toContain('Disabled');
  admins.users.length = 0;
  expect((await click('member', off, 'Undo')).text).toContain('Only admins can use `runner disable`');
  expect(bellows.forge.requests.of(edits).map(({ body }) => body)).toEqual([{ disabled: true }]);
  expect((await type('ada', 'runner enable builder-1')).text).toContain('Enabled');
});

it('removes one after a second person saw what it does', async () => {
  const { slack, forge } = bellows;
  const ada = slack.as('ada');
  await ada.command('engine', '/forge', 'runner remove short-lived-3');
  const card = await slack.until(() =>
    ada.sees('engine').find((shown) => shown.onlyFor === undefined && words(shown).includes('Waiting for approval')),
  );
  expect(words(card)).toContain('ubuntu-22.04');
  expect(forge.requests.of(removes)).toEqual([]);
  await slack.as('grace').click(card, 'Approve');
  await slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes('approved your request')));
  expect(forge.requests.of(removes)).toMatchObject([{ who: 'ada', path: '/admin/actions/runners/3' }]);
});

it('is for admins, and hidden from the help of others', async () => {
  const alan = bellows.slack.as('alan');
  await alan.command('engine', '/forge', 'runner list');
  await bellows.slack.until(() =>
    alan.sees('engine').find(({ text }) => text.includes('Only admins can use `runner list`')),
  );
  expect(words(await type('ada', 'help runner'))).toContain('/forge runner list');
  const help = words(await type('alan', 'help runner'));
  expect(help).toContain('more for maintainers or admins');
  expect(help).not.toContain('/forge runner');
});

it('says when the forge account is not a site administrator', async () => {
  expect((await type('grace', 'runner list')).text).toContain('You don’t have permission to list the runners');
});
