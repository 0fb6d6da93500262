import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, after } = talkTo(() => bellows);

async function signin(user: string, values: Readonly<Record<string, string>>) {
  const actor = bellows.slack.as(user);
  await actor.command('engine', '/forge', 'signin other');
  await form(user);
  await actor.fill(values);
  return after(user, () => actor.submit());
}
const token = (login: string, scopes?: readonly string[]) => bellows.forge.account(login).token(scopes);

beforeAll(async () => {
  bellows = await startBellows({ logLevel: 'debug' });
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('refuses a wrong token and says what to do', async () => {
  expect((await signin('ada', { token: 'nonsense' })).text).toContain('rejected this. Check the token and try again');
  expect((await type('ada', 'whoami')).text).toContain('not linked');
});

it('asks only for a token, opens the page that creates one, and keeps passwords for other ways', async () => {
  const alan = bellows.slack.as('alan');
  await alan.command('engine', '/forge', 'signin');
  const shown = words(await form('alan'));
  expect(shown).toContain('Access token');
  expect(shown).not.toContain('Password');
  expect(shown).toContain(`"url":"${bellows.forge.url}/user/settings/applications"`);
  await alan.fill({ token: 'nonsense' });
  expect((await after('alan', () => alan.submit())).text).toContain('rejected this');
  await alan.command('engine', '/forge', 'signin');
  await alan.click(await form('alan'), 'Other ways');
  await bellows.slack.until(() => words(alan.openView()).includes('Password'));
  await alan.close();
});

it('links a token to the account the forge reports', async () => {
  expect((await signin('ada', { token: token('grace') })).text).toContain('linked as grace');
  const me = words(await type('ada', 'whoami'));
  expect(me).toContain('*grace*');
  expect(me).toContain('Your token, settings, agents and pending requests are deleted.');
});

it('exchanges a password for a token and forgets the password', async () => {
  const { password = '' } = bellows.forge.account('ada');
  const answer = await signin('ada', { login: 'ada', password });
  expect(answer.text).toContain('linked as ada');
  expect(bellows.forge.requests.of('POST /users/{username}/tokens')).toHaveLength(1);
  bellows.forge.requests.clear();
  expect((await type('ada', 'issue show acme/engine#2')).text).toContain('Print results');
  expect(bellows.logged.join('')).not.toContain(password);
});

it('exchanges the password of someone who signs in by email too', async () => {
  const { email = '' } = [...bellows.forge.world.state.users.values()].find(({ login }) => login === 'ada') ?? {};
  const { password = '' } = bellows.forge.account('ada');
  bellows.forge.requests.clear();
  const answer = await signin('ada', { login: email, password });
  expect(answer.text).toContain('linked as ada');
  expect(words(answer)).not.toContain('password');
  expect(bellows.forge.requests.of('POST /users/{username}/tokens').map(({ status }) => status)).toEqual([201]);
});

it('says so if the forge creates no token and the password is kept', async () => {
  const { password = '' } = bellows.forge.account('ada');
  bellows.forge.faults.add({ on: 'POST /users/{username}/tokens', trouble: { status: 403 } });
  const answer = await signin('ada', { login: 'ada', password });
  expect(answer.text).toContain('linked as ada');
  expect(words(answer)).toContain('your password is stored encrypted until you sign out');
});

it('says which scope a token needs to show whose it is', async () => {
  const answer = await signin('alan', { token: token('linus', ['write:repository', 'write:issue']) });
  expect(answer.text).toContain('it needs the scope read:user');
  expect(answer.text).not.toContain('Ask a repository owner');
});

it('refuses a wrong password', async () => {
  expect((await signin('alan', { login: 'ada', password: 'guess' })).text).toContain('rejected this');
});

it('asks for input if the form is empty', async () => {
  const alan = bellows.slack.as('alan');
  await alan.command('engine', '/forge', 'signin other');
  await form('alan');
  await alan.fill({ login: 'linus' });
  const { errors } = await alan.submit();
  expect(errors).toEqual({ token: 'Enter an access token, or a login and password.' });
  await alan.close();
});

it('names the scopes a token lacks', async () => {
  const answer = await signin('alan', { token: token('linus', ['read:user', 'write:issue', 'read:repository']) });
  expect(answer.text).toContain('linked as linus');
  const shown = words(answer);
  expect(shown.match(/Your token lacks/g)).toHaveLength(1);
  expect(shown).toMatch(/lacks [^"]*`write:repository`[^"]*, so [^"]*`pr merge`[^"]* and others won’t work\./);
  expect(shown).toMatch(/lacks [^"]*`write:notification`[^"]*, so [^"]*`inbox`/);
  expect(/, so ([^"]*) and others/.exec(shown)?.[1]?.split(', ').length).toBeLessThanOrEqual(4);
  expect(shown).toContain('/user/settings/applications');
  expect(shown).not.toContain('write:issue');
});

it('says what to add when a command needs a scope the token lacks', async () => {
  const answer = await type('alan', 'inbox');
  expect(answer.text).toMatch(/read:notification|scope/);
});

it('says in its help that only the form asks', async () => {
  const shown = words(await type('ada', 'signin --help'));
  expect(shown).toContain('Access token');
  expect(shown).toContain('in the form');
});

it('forgets everything on signing out', async () => {
  expect((await type('alan', 'signout')).text).toContain('Signed out');
  expect((await type('alan', 'whoami')).text).toContain('not linked');
  expect(words(await type('ada', 'people'))).not.toContain('|linus>');
  expect((await type('alan', 'signout')).text).toContain('You are not linked');
});

it('resumes what was typed before linking', async () => {
  const actor = bellows.slack.as('alan');
  const ask = await type('alan', 'issue comment acme/website#1 Resumed');
  expect(ask.text).toContain('Link your forge account to continue');
  await actor.click(ask, 'Link account');
  await form('alan');
  await actor.fill({ token: token('linus') });
  await actor.submit();
  await bellows.slack.until(() =>
    actor.sees('engine').find(({ text }) => text.includes('Commented on acme/website#1')),
  );
});

const relinkWords = 'Your forge token for linus no longer works';
const askedToRelink = () => {
  const alan = bellows.slack.as('alan');
  return alan.sees(alan.dm).filter(({ text }) => text.includes(relinkWords));
};

it('asks once by direct message when the forge no longer accepts the token', async () => {
  bellows.forge.world.revokeTokens({ login: 'linus' });
  expect((await type('alan', 'todo')).text).toContain('Your forge token no longer works');
  expect((await type('alan', 'todo')).text).toContain('Your forge token no longer works');
  const request = await bellows.slack.until(() => askedToRelink()[0]);
  expect(words(request)).toContain('Link again');
  expect(askedToRelink()).toHaveLength(1);
});

it('asks even if Slack is unavailable at that moment, and still answers the command', async () => {
  const { slack, forge } = bellows;
  const alan = slack.as('alan');
  await signin('alan', { token: token('linus') });
  forge.world.revokeTokens({ login: 'linus' });
  slack.faults.next('chat.postMessage', { kind: 'status', status: 500 }, 1, ({ channel }) => channel === alan.dm);
  expect((await type('alan', 'todo')).text).toContain('Your forge token no longer works');
  await slack.until(() => askedToRelink().length === 2);
});

it('continues the very command that met the dead token after linking again', async () => {
  const { slack, forge } = bellows;
  const commented = () =>
    slack
      .as('alan')
      .sees('engine')
      .filter(({ text }) => text.includes('Commented on acme/website#1')).length;
  await signin('alan', { token: token('linus') });
  forge.world.revokeTokens({ login: 'linus' });
  const before = commented();
  await type('alan', 'issue comment acme/website#1 Not lost');
  await signin('alan', { token: token('linus') });
  await slack.until(() => commented() === before + 1);
  // other pending commands may be answered first
  await slack.as('alan').command('engine', '/forge', 'issue show acme/website#1');
  const shows = ({ text, blocks }: { text: string; blocks: readonly unknown[] }) =>
    !text.includes('Commented') && words({ blocks }).includes('Not lost');
  await slack.until(() => slack.as('alan').sees('engine').some(shows));
});

it('continues everything that was requested before linking, in order', async () => {
  const { slack, forge } = bellows;
  const alan = slack.as('alan');
  await type('alan', 'signout');
  for (const text of ['First', 'Second', 'Third'])
    await type('alan', `issue comment acme/website#1 ${text} before linking`);
  // the first one is slow, and the others wait for it
  forge.faults.add({ on: /POST .*comments$/, trouble: { delay: 400 } });
  await signin('alan', { token: token('linus') });
  const said = () =>
    (forge.world.issue('acme/website', 1)?.comments ?? [])
      .map(({ body }) => body)
      .filter((body) => body.includes('before linking'));
  await slack.until(() => alan.sees('engine').some(({ text }) => text.includes('Commented')) && said().length === 3);
  expect(said()).toEqual(['First before linking', 'Second before linking', 'Third before linking']);
});
