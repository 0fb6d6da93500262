import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/chat/linking.js';
import { parseFilter } from '../../src/feed/filter.js';
import { close, connect, createSeal, createStore, plainJson, type Store } from '../../src/store/index.js';
import { type Shown, talkTo, words } from '../commands/talk.js';
import { addAgent, clientOver, overHttp } from '../mcp/agent.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { Browser } from '../support/browser.js';
import { testKeys } from '../support/redis.js';
import { signingIn } from '../support/sign-in.js';

const hostile = '](https://evil.example) @all <!channel> <script>alert(1)</script>';
const [gus, eve, stranger, robot] = ['U0GUEST001', 'U0EVE00001', 'U0STRANGE1', 'U0ROBOT001'];
const elsewhere = 'T0STRANGER';
const secret = 'acme/vault';

let bellows: Bellows;
let store: Store;
const { type } = talkTo(() => bellows);
const signing = signingIn(() => bellows);
const as = (user: string) => bellows.slack.as(user);
const place = () => ({ team: bellows.slack.teamId, channel: 'C0ENGINE01' });
const changes = () => [...bellows.forge.requests].filter(({ method }) => method !== 'GET');

beforeAll(async () => {
  bellows = await startBellows({
    threadSync: true,
    agents: true,
    oauth: {},
    policy: 'workObjects: true\nroles:\n  admin:\n    users: [U0ADA00001]\n',
    pollMs: 200,
    slack: {
      seed: {
        users: [
          { id: 'U0ADA00001', name: 'ada' },
          { id: gus, name: 'gus', guest: true },
          { id: eve, name: hostile },
          { id: robot, name: 'robot', isBot: true },
          { id: stranger, name: 'stranger', teamId: elsewhere },
        ],
        channels: [
          { id: 'C0ENGINE01', name: 'engine', sharedWith: [elsewhere], members: ['ada', 'gus', eve, 'stranger'] },
          { id: 'C0GENERAL1', name: 'general' },
        ],
      },
    },
  });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  const filter = plainJson(parseFilter('issues comments thread:sync'));
  const target = { kind: 'repo', id: bellows.forge.world.repo('acme/engine').id } as const;
  await store.subscriptions.put({ place: place(), target, owner: 'U0ADA00001', filter }, 'acme/engine');
  await Promise.all([linked('U0ADA00001', 'ada'), linked(gus, 'linus')]);
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});
/** As the sign-in form leaves it. */
function linked(user: string, login: string) {
  const forgeUserId = bellows.forge.world.user(login)?.id ?? 0;
  const credential = { kind: 'token', token: bellows.forge.account(login).token() } as const;
  return store.accounts.put({ team: bellows.slack.teamId, user }, { login, forgeUserId, verified: true, credential });
}
beforeEach(async () => {
  bellows.forge.requests.clear();
  for (const user of ['ada', 'gus', eve]) while (as(user).openView()) await as(user).close();
});

/** What this person reads next in that place. */
async function answer(user: string, where: string, act: () => Promise<unknown>): Promise<Shown> {
  const before = new Set(
    as(user)
      .sees(where)
      .map(({ ts }) => ts),
  );
  await act();
  const isNew = ({ ts, user: by }: Shown) => !before.has(ts) && by === bellows.slack.botUserId;
  return bellows.slack.until(() => as(user).sees(where).find(isNew));
}
const direct = (user: string) => bellows.slack.state.dm(user).id;
const mention = (user: string, line: string) =>
  answer(user, 'engine', () => as(user).post('engine', `@bellows ${line}`));
const message = (user: string, line: string) => answer(user, direct(user), () => as(user).post(direct(user), line));
/** Everything before it has been processed by then. */
const afterwards = () => type('ada', 'whoami');

/** The synced thread of an issue's card. */
async function thread(title: string) {
  const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title });
  const { ts } = await as('ada').post('engine', title);
  const item = `r1-n${index}`;
  const url = `${bellows.forge.url}/acme/engine/issues/${index}`;
  const repo = { id: bellows.forge.world.repo('acme/engine').id, fullName: 'acme/engine' };
  await store.threads.put(place(), { item, ts, about: { event: { item: { url }, repo } } });
  return { ts, comments: () => bellows.forge.world.issue('acme/engine', index)?.comments ?? [] };
}
const opened = (user: string, text: string) =>
  bellows.slack.until(() => (words(as(user).openView()).includes(text) ? words(as(user).openView()) : undefined));
async function details(user: string, path: string): Promise<string> {
  await as(user).openDetails(`${bellows.forge.url}/${path}`);
  return JSON.stringify(await bellows.slack.until(() => as(user).details()));
}
async function signInOf(person: { team: string; user: string }) {
  const { config } = bellows;
  const link = createSignInLink({
    seal: createSeal(testKeys),
    forgeId: 'main',
    publicUrl: config.publicUrl ?? '',
    now: Date.now,
  });
  return new Browser().send(link.url(person));
}
const refusedSignIn = { status: 400, text: expect.stringContaining('has expired or was already used') };

/** A test of this cell, or where its test is, or why there is none. */
type Cell = (() => Promise<unknown>) | string;
const limits = [
  'wrong workspace',
  'unlinked',
  'guest',
  'bot',
  'edited',
  'redelivered',
  '40,000 letters',
  'hostile name',
] as const;
type Limits = Readonly<Record<(typeof limits)[number], Cell>>;
const inWritten = 'in test/slack/written.test.ts';
const inLimits = 'in test/slack/door-limits.test.ts';
const inSync = 'in test/slack/thread-sync.test.ts';

const doors: Readonly<Record<string, Limits>> = {
  mention: {
    'wrong workspace': inWritten,
    unlinked: inWritten,
    async guest() {
      expect((await mention('gus', 'issue comment acme/engine#2 From a guest')).text).toContain('Commented');
      expect(changes()).toMatchObject([{ who: 'linus' }]);
      expect((await mention('gus', `issue show ${secret}#1`)).text).not.toContain('Opened');
      expect((await mention('gus', 'cron list')).text).toContain('Only admins can use');
    },
    bot: inWritten,
    edited: inWritten,
    redelivered: inWritten,
    '40,000 letters': inWritten,
    async 'hostile name'() {
      expect(words(await mention(eve, 'whoami'))).not.toMatch(/<!channel>|\]\(https:\/\/evil/);
    },
  },
  'direct message': {
    'wrong workspace': inLimits,
    async unlinked() {
      expect(words(await message(eve, 'issue close acme/engine#2'))).toContain('Link');
      expect(changes()).toEqual([]);
    },
    async guest() {
      expect((await message('gus', 'issue comment acme/engine#2 Quietly')).text).toContain('Commented');
      expect(changes()).toMatchObject([{ who: 'linus' }]);
    },
    bot: inLimits,
    edited: inLimits,
    redelivered: inLimits,
    '40,000 letters': inLimits,
    async 'hostile name'() {
      expect(words(await message(eve, 'whoami'))).not.toMatch(/<!channel>|\]\(https:\/\/evil/);
    },
  },
  'reply in a synced thread': {
    'wrong workspace': inSync,
    unlinked: inSync,
    async guest() {
      const { ts, comments } = await thread('Said by a guest');
      const repliesIn = { [`r${bellows.forge.world.repo('acme/engine')?.id}`]: 'public' as const };
      await store.settings.put({ team: bellows.slack.teamId, user: gus }, { kinds: {}, quiet: null, repliesIn });
      await as('gus').post('engine', 'From a guest', ts);
      await expect.poll(comments).toMatchObject([{ body: expect.stringContaining('From a guest') }]);
      expect(changes()).toMatchObject([{ who: 'linus' }]);
    },
    bot: inSync,
    edited: inSync,
    redelivered: inSync,
    '40,000 letters': inSync,
    'hostile name': 'no name of Slack is in the comment: in test/slack/thread-sync.test.ts',
  },
  'message shortcut': {
    'wrong workspace': inLimits,
    unlinked: inLimits,
    async guest() {
      const { ts } = await thread('Seen by a guest');
      const said = await as('ada').post('engine', 'It hisses', ts);
      await as('gus').messageShortcut('comment_on_item', said);
      await opened('gus', 'hisses');
      await as('gus').submit();
      await expect.poll(() => changes()).toMatchObject([{ who: 'linus' }]);
    },
    bot: 'whoever quotes a bot’s message is a person',
    edited: 'the message is quoted as it stands',
    redelivered: 'opens a form; its trigger works once, and a form runs once: test/jobs/once',
    '40,000 letters': inLimits,
    'hostile name': inLimits,
  },
  'global shortcut': {
    async 'wrong workspace'() {
      const before = bellows.slack.calls.of('views.open').length;
      await bellows.slack.forge('interactive', {
        ...{ type: 'shortcut', callback_id: 'new_issue', trigger_id: '1.2.3' },
        ...{ team: { id: elsewhere }, user: { id: stranger, team_id: elsewhere } },
      });
      await afterwards();
      expect(bellows.slack.calls.of('views.open')).toHaveLength(before);
    },
    async unlinked() {
      await as(eve).shortcut('new_issue');
      await opened(eve, 'input');
      await as(eve).fill({ repository: 'acme/engine', title: 'Mine' });
      await as(eve).submit();
      await bellows.slack.until(() =>
        as(eve)
          .sees(as(eve).dm)
          .find((each) => words(each).includes('Link')),
      );
      expect(changes()).toEqual([]);
    },
    async guest() {
      await as('gus').shortcut('new_issue');
      await opened('gus', 'input');
    },
    bot: 'bots have no menu',
    edited: 'there is no message',
    redelivered: 'opens a form; its trigger works once',
    '40,000 letters': 'nothing is typed before the form, which has limits of its own',
    async 'hostile name'() {
      await as(eve).shortcut('new_issue');
      expect(await opened(eve, 'input')).not.toMatch(/<!channel>|evil\.example/);
    },
  },
  'details of a Work Object': {
    async 'wrong workspace'() {
      expect(await details('stranger', `${secret}/issues/1`)).not.toContain('"entity"');
    },
    unlinked: 'in test/slack/work-objects.test.ts',
    async guest() {
      expect(await details('gus', `${secret}/issues/1`)).toContain('you don’t have access');
      expect(await details('gus', 'acme/engine/issues/4')).toContain('Alarm 1202');
    },
    async bot() {
      const shown = () => bellows.slack.calls.of('entity.presentDetails').length;
      const before = shown();
      await bellows.slack.happens.anything({
        ...{ type: 'entity_details_requested', user: robot, trigger_id: '1.2.3' },
        entity_url: `${bellows.forge.url}/${secret}/issues/1`,
      });
      await expect.poll(shown).toBe(before + 1);
      const { args } = bellows.slack.calls.of('entity.presentDetails').at(-1) ?? {};
      expect(JSON.stringify(args)).not.toContain('"entity"');
    },
    edited: 'there is no message',
    async redelivered() {
      await details('ada', 'acme/engine/issues/4');
      const shown = bellows.slack.calls.of('entity.presentDetails').length;
      const delivery = bellows.slack.deliveries.all.findLast(({ type: kind }) => kind === 'events_api');
      if (delivery) await bellows.slack.redeliver(delivery);
      await afterwards();
      expect(bellows.slack.calls.of('entity.presentDetails')).toHaveLength(shown);
    },
    async '40,000 letters'() {
      const shown = bellows.slack.calls.of('entity.presentDetails').length;
      await as('ada').openDetails(`${bellows.forge.url}/acme/engine/issues/4?${'x'.repeat(40_000)}`);
      await afterwards();
      expect(bellows.slack.calls.of('entity.presentDetails')).toHaveLength(shown);
    },
    'hostile name': 'in test/slack/work-objects.test.ts',
  },
  'sign-in with the forge': {
    async 'wrong workspace'() {
      expect(await signInOf({ team: elsewhere, user: 'U0ADA00001' })).toMatchObject(refusedSignIn);
      expect(await signInOf({ team: elsewhere, user: stranger })).toMatchObject(refusedSignIn);
    },
    unlinked: 'who signs in is not linked yet: test/http/sign-in.test.ts',
    async guest() {
      const { page } = await signing.signIn('gus', 'margaret');
      expect(page.text).toContain('<dd>gus</dd>');
      expect(words(await type('gus', 'whoami'))).toContain('margaret');
      await linked(gus, 'linus');
    },
    async bot() {
      expect(await signInOf({ team: bellows.slack.teamId, user: robot })).toMatchObject(refusedSignIn);
      expect(await signInOf({ team: bellows.slack.teamId, user: 'U0NOBODY01' })).toMatchObject(refusedSignIn);
    },
    edited: 'there is no message',
    redelivered: '“works once” in test/http/sign-in.test.ts',
    '40,000 letters': '“is refused where it was changed” in test/http/sign-in.test.ts',
    async 'hostile name'() {
      const browser = new Browser();
      const page = await signing.agree(browser, await signing.consent(browser, await signing.link(eve), 'grace'));
      expect(page.text).toContain('&lt;script&gt;');
      expect(page.text).not.toContain('<script>');
    },
  },
  'agent (MCP)': {
    'wrong workspace': '“ends at once” in test/mcp/token.test.ts',
    async unlinked() {
      const answered = await type(eve, 'agents add Mine --may "issue *"');
      expect(words(answered)).toContain('Link');
      expect(words(answered)).not.toContain('bwa_');
    },
    async guest() {
      const agent = await clientOver(overHttp(bellows.address, await addAgent(bellows, 'gus', 'Helper --may "*"')));
      expect((await agent.tools()).map(({ name }) => name)).not.toContain('cron_list');
      expect(await agent.call('issue_show', { issue: `${secret}#1` })).toMatchObject({ status: 'failed' });
      expect(await agent.call('issue_comment', { issue: 'acme/engine#2', body: 'By agent' })).toMatchObject({
        status: 'done',
      });
      expect(changes()).toMatchObject([{ who: 'linus' }]);
      await agent.close();
    },
    bot: 'an agent is one; it acts for a person: test/mcp/token.test.ts',
    edited: 'there is no message',
    redelivered: 'each call is a call of its own; what it wrote is never repeated by us: test/mcp/transports.test.ts',
    '40,000 letters': '“wrong arguments” in test/mcp/limits.test.ts',
    'hostile name': '“waits for a second person” in test/mcp/approval.test.ts',
  },
};

describe.each(Object.entries(doors))('%s', (_, cells) => {
  it.each(limits.filter((limit) => typeof cells[limit] === 'function'))('%s', async (limit) => {
    const cell = cells[limit];
    if (typeof cell === 'function') await cell();
  });
});
