import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { Browser } from '../support/browser.js';
import { everythingIn } from '../support/redis.js';
import { onServers } from '../support/servers.js';
import { signingIn } from '../support/sign-in.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { link, consent, atForge, agree, numberIn, question, confirm, signIn } = signingIn(() => bellows);

afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const flavors = onServers(['gitea-1.28', 'gitea-1.26', 'forgejo-15'], ['gitea-1.26', 'forgejo-15']);

describe.each(flavors)('signing in with %s', (flavor) => {
  const product = flavor.startsWith('gitea') ? 'Gitea' : 'Forgejo';
  const confidential = flavor !== 'gitea-1.26';

  beforeAll(async () => {
    bellows = await startBellows({ forge: { flavor }, oauth: { confidential }, logLevel: 'debug' });
  });
  afterAll(() => bellows.close());

  it('links after consent there and a confirmation in Slack, and acts with the requested scopes', async () => {
    const { page, answer } = await signIn('grace');
    expect(page.text).toContain('<dd>grace</dd>');
    expect(page.text).toContain('<dd>Bellows Sandbox</dd>');
    expect(page.text).toContain('<dd>grace on ');
    expect(words(answer)).toContain('You’re linked as *grace*');
    const { dm } = bellows.slack.as('grace');
    expect(bellows.slack.as('grace').sees(dm).map(words).join()).not.toContain('Link as grace');
    expect(words(answer)).not.toContain('lacks');
    expect(words(await type('grace', 'issue show acme/engine#2'))).toContain('Print results');
    const { tokens } = bellows.forge.world.state;
    const held = [...tokens.values()].filter(({ grant }) => grant !== undefined);
    expect(held.map(({ scopes }) => scopes)).toEqual([
      ['write:repository', 'write:issue', 'write:notification', 'write:user', 'write:organization', 'read:package'],
    ]);
  });

  it('names the product, and asks for neither token nor password', async () => {
    await bellows.slack.as('alan').command('engine', '/forge', 'signin');
    const shown = words(await bellows.slack.until(() => bellows.slack.as('alan').openView()));
    expect(shown).toContain(`Sign in with ${product}`);
    expect(shown).toContain('Other ways');
    expect(shown).not.toContain('"type":"input"');
    await bellows.slack.as('alan').close();
  });

  it('keeps a working link if its person signs in again and stops halfway', async () => {
    await bellows.slack.as('grace').command('engine', '/forge', 'signin');
    const shown = words(await bellows.slack.until(() => bellows.slack.as('grace').openView()));
    expect(shown).toContain('You’re already linked as *grace*');
    await bellows.slack.as('grace').close();
    const browser = new Browser();
    const page = await agree(browser, await consent(browser, await link('grace'), 'grace'));
    expect(page.text).toContain('Already linked');
    expect(numberIn(page.text)).toBe('');
    // the forge forgets every access token: only the newest refresh token helps
    const { tokens } = bellows.forge.world.state;
    for (const [secret, { grant }] of tokens) if (grant !== undefined) tokens.delete(secret);
    expect(words(await type('grace', 'issue show acme/engine#2'))).toContain('Print results');
    // another account is still a question
    const another = new Browser();
    const other = await agree(another, await consent(another, await link('grace'), 'linus'));
    expect(numberIn(other.text)).not.toBe('');
    expect(words(await type('grace', 'whoami'))).toContain('grace');
  });

  it('continues the pending command', async () => {
    const actor = bellows.slack.as('alan');
    expect((await type('alan', 'issue comment acme/website#1 After signing in')).text).toContain(
      'Link your forge account',
    );
    await signIn('alan', 'linus');
    await bellows.slack.until(() =>
      actor.sees('engine').find(({ text }) => text.includes('Commented on acme/website#1')),
    );
  });

  it('leaves no token in an address, a log line, a job or Redis', async () => {
    const { tokens, oauth } = bellows.forge.world.state;
    const secrets = [...tokens.values()].filter(({ grant }) => grant !== undefined).map(({ secret }) => secret);
    const all = [...secrets, ...oauth.refreshTokens.keys(), ...[...oauth.apps.values()].map(({ secret }) => secret)];
    expect(all.length).toBeGreaterThan(3);
    const kept = JSON.stringify(await everythingIn(bellows.redisUrl));
    const said = JSON.stringify(bellows.slack.calls.all);
    for (const secret of all) {
      expect(bellows.logged.join('')).not.toContain(secret);
      expect(kept).not.toContain(secret);
      expect(said).not.toContain(secret);
    }
  });
});

describe('a link that is forwarded', () => {
  beforeAll(async () => {
    bellows = await startBellows({ oauth: {} });
  });
  afterAll(() => bellows.close());

  it('does not give the forwarder the account of the person who opened it', async () => {
    // alan sends his link to grace, who follows it and agrees
    const graces = new Browser();
    const page = await agree(graces, await consent(graces, await link('alan'), 'grace'));
    expect(page.text).toContain('<dd>alan</dd>');
    expect(page.text).toContain('grace on ');
    expect(words(await question('alan', 'grace'))).toContain('You signed in on the forge as *grace*');
    // alan does not see grace's page: he can only guess
    const wrong = (Number(numberIn(page.text).replace(' ', '')) + 1) % 1_000_000;
    const guess = String(wrong).padStart(6, '0');
    expect(words(await confirm('alan', 'grace', guess))).toContain('does not match');
    expect(words(await confirm('alan', 'grace', guess))).toContain('does not match');
    expect(words(await confirm('alan', 'grace', guess))).toContain('does not match');
    await bellows.slack.as('alan').click(await question('alan', 'grace'), 'Link as grace');
    expect(words(await bellows.slack.until(() => bellows.slack.as('alan').openView()))).toContain(
      'no sign-in to confirm',
    );
    await bellows.slack.as('alan').close();
    expect((await type('alan', 'whoami')).text).toContain('not linked');
    expect((await type('grace', 'whoami')).text).toContain('not linked');
  });

  it('does not link the person who opened it to someone else’s Slack', async () => {
    // linus gets hold of grace's link: he signs in as himself and knows the number
    const browser = new Browser();
    const page = await agree(browser, await consent(browser, await link('grace'), 'linus'));
    expect(page.text).toContain('<dd>grace</dd>');
    expect((await type('grace', 'whoami')).text).toContain('not linked');
    // the number is useless in another person's Slack
    const alan = bellows.slack.as('alan');
    await alan.command('engine', '/forge', 'signin confirm');
    expect(words(await bellows.slack.until(() => alan.openView()))).toContain('no sign-in to confirm');
    await alan.close();
    expect((await type('alan', 'whoami')).text).toContain('not linked');
    // grace is asked about linus by name, and ignores it
    expect(words(await question('grace', 'linus'))).toContain('as *linus*');
    expect((await type('grace', 'whoami')).text).toContain('not linked');
  });

  it.each([
    ['to a browser without a sign-in', []],
    ['to a browser that began another one', ['grace']],
  ])('is worthless even if the forge’s own address is forwarded %s', async (_, begun) => {
    const alans = new Browser();
    const start = await alans.send(await link('alan'));
    const graces = new Browser();
    for (const user of begun) await graces.send(await link(user));
    const page = await agree(graces, await atForge(graces, String(start.headers['location']), 'grace'));
    expect(page.status).toBe(400);
    expect(page.text).toContain('has expired or was already used');
  });

  it('works once', async () => {
    const browser = new Browser();
    const page = await agree(browser, await consent(browser, await link('ada'), 'ada'));
    expect(page.status).toBe(200);
    expect(String(page.headers['set-cookie'])).toMatch(/^bellows_sign_in=; Max-Age=0;/);
    const again = await browser.send(page.address);
    expect(again.status).toBe(400);
    expect(again.text).toContain('has expired or was already used');
  });

  it('shows a page that loads nothing, sends no referrer and is not cached', async () => {
    const browser = new Browser();
    const start = await browser.send(await link('ada'));
    const page = await agree(browser, await atForge(browser, String(start.headers['location']), 'ada'));
    for (const { headers } of [start, page]) {
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(headers['x-frame-options']).toBe('DENY');
    }
    expect(page.text).not.toMatch(/<script|https?:\/\/(?!127)/);
    expect(String(start.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/);
  });
});
