import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { onServers } from '../support/servers.js';
import { talkTo, words } from './talk.js';

const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n';
const users = [
  { id: 'U0ADA00001', name: 'ada' },
  { id: 'U0GRACE001', name: 'grace' },
  { id: 'U0ALAN0001', name: 'alan' },
];
const everyday = ['write:repository', 'write:issue', 'write:notification', 'write:user', 'write:organization'];

let bellows: Bellows;
const { type, form, after } = talkTo(() => bellows);

async function signin(user: string, values: Readonly<Record<string, string>>) {
  const actor = bellows.slack.as(user);
  await actor.command('engine', '/forge', 'signin other');
  const asked = words(await form(user));
  await actor.fill(values);
  return { asked, answer: words(await after(user, () => actor.submit())) };
}
const token = (login: string, scopes?: readonly string[]) => bellows.forge.account(login).token(scopes);
const page = () => `${bellows.forge.url}/user/settings/applications`;
const cards = () => bellows.slack.calls.all.filter(({ args }) => /action_id\W+approve\b/.test(JSON.stringify(args)));

afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const servers = onServers(['gitea-1.28', 'gitea-1.26', 'forgejo-15'], ['gitea-1.26', 'forgejo-15']);

describe.each(servers)('%s', (flavor) => {
  beforeAll(async () => {
    bellows = await startBellows({ forge: { flavor }, policy, slack: { seed: { users } } });
    await bellows.link('grace');
  });
  afterAll(() => bellows.close());

  describe.runIf(flavor === 'gitea-1.26')('names scopes only when it refuses', () => {
    it('and says so for a token that may do everything', async () => {
      await signin('ada', { token: token('ada', ['all']) });
      expect(words(await type('ada', 'whoami'))).toContain('Gitea doesn’t list them; this token can read everything');
    });

    it('and names them all if one area is refused', async () => {
      await signin('ada', { token: token('ada', [...everyday, 'read:admin']) });
      expect(words(await type('ada', 'whoami'))).toContain('`read:admin`');
      expect(words(await type('ada', 'cron run update_mirrors'))).toContain('it lacks `write:admin`');
      expect(cards()).toEqual([]);
    });
  });

  it('offers the admin scope to admins, and to nobody else', async () => {
    const { asked } = await signin('alan', { token: token('linus', [...everyday, 'read:package']) });
    expect(asked).toContain(page());
    expect(asked).toContain('`read:package`');
    expect(asked).not.toContain('write:admin');
    expect((await signin('ada', { token: token('ada') })).asked).toContain('`write:admin`');
  });

  it('asks for the admin scope when an admin signs in by password', async () => {
    const { password = '' } = bellows.forge.account('ada');
    const asked = () => bellows.forge.requests.of('POST /users/{username}/tokens').map(({ body }) => body);
    bellows.forge.requests.clear();
    await signin('ada', { login: 'ada', password });
    expect(JSON.stringify(asked())).toContain('write:admin');
    expect(words(await type('ada', 'cron list'))).toContain('update_mirrors');
    bellows.forge.requests.clear();
    await signin('alan', { login: 'linus', password: bellows.forge.account('linus').password ?? '' });
    expect(JSON.stringify(asked())).toContain('write:issue');
    expect(JSON.stringify(asked())).not.toContain('write:admin');
  });

  it('names what a token without the admin scope cannot do', async () => {
    const { answer } = await signin('ada', { token: token('ada', [...everyday, 'read:package']) });
    expect(answer).toMatch(/lacks `(write|read):admin`, so (`[a-z -]+`, ){3}`[a-z -]+` and others won’t work\./);
    expect(answer).not.toContain('`issue close`');
    expect(answer).toContain(page());
    expect((await signin('alan', { token: token('linus', everyday) })).answer).not.toContain('admin');
  });

  it('names a missing write scope at sign-in and with the command', async () => {
    const scopes = [...everyday.filter((each) => each !== 'write:issue'), 'read:issue', 'read:package'];
    const { answer } = await signin('alan', { token: token('linus', scopes) });
    expect(answer).toMatch(/Your token lacks `write:issue`, so [^"]*`issue create`[^"]* won’t work\./);
    const refused = words(await type('alan', 'issue comment acme/website#1 Hello'));
    expect(refused).toContain('it lacks `write:issue`');
    expect(refused).toContain(page());
    expect(refused).not.toMatch(/locked|permission/);
    const reading = everyday.map((each) => each.replace('write:', 'read:'));
    const readOnly = await signin('alan', { token: token('linus', [...reading, 'read:package']) });
    for (const scope of everyday.slice(0, 3)) expect(readOnly.answer).toContain(`\`${scope}\``);
    bellows.forge.requests.clear();
    expect((await signin('alan', { token: token('linus', [...everyday, 'read:package']) })).answer).not.toContain(
      'lacks',
    );
    const written = bellows.forge.requests.all.filter(({ method }) => method !== 'GET');
    expect(written.filter(({ status }) => status !== 404)).toEqual([]);
  });

  it('says in whoami what the token may do', async () => {
    const shown = words(await type('ada', 'whoami'));
    expect(shown).toContain(page());
    if (flavor === 'forgejo-15') expect(shown).toContain('Forgejo doesn’t list them; missing: `read:admin`');
    else expect(shown).toContain('`write:repository`, `write:issue`, `write:notification`');
  });

  it('says exactly what to do when a command needs a scope that the token lacks', async () => {
    const answer = words(await type('ada', 'cron list'));
    expect(answer).toContain('Your token can’t list the scheduled tasks: it lacks `read:admin`.');
    expect(answer).toContain('Create a new token with that scope as well');
    expect(answer).toContain(page());
    expect(answer).not.toContain('Ask an owner');
  });

  it('refuses a risky command before anyone is asked to approve it', async () => {
    const answer = words(await type('ada', 'cron run update_mirrors'));
    expect(answer).toContain('Your token can’t run `cron run`: it lacks `write:admin`.');
    expect(answer).toContain(page());
    expect(cards()).toEqual([]);
    await signin('ada', { token: token('ada', [...everyday, 'write:admin']) });
    await bellows.slack.as('ada').command('engine', '/forge', 'cron run update_mirrors');
    await bellows.slack.until(() => cards().length > 0);
  });
});
