import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createForge, type Forge } from '../../src/forge/index.js';
import { createDepartures } from '../../src/jobs/departures.js';
import { createLog } from '../../src/log.js';
import { createClient } from '../../src/slack/client.js';
import { createSlackFacts } from '../../src/slack/facts.js';
import type { Target } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const [ada, grace, alan] = ['U0ADA00001', 'U0GRACE001', 'U0ALAN0001'] as const;
const channel = 'C0PRIVATE1';
let forge: SandboxForge;
let slack: SandboxSlack;
let client: Forge;
let cutOff = false;
let departures: ReturnType<typeof createDepartures>;

beforeEach(async () => {
  [forge, slack] = await Promise.all([startForge(), startSlack({ mode: 'http' })]);
  client = createForge({ url: forge.url, retry: { attempts: 1 } });
  const mode = { kind: 'socket', appToken: '' } as const;
  const web = createClient({ botToken: slack.botToken, apiUrl: slack.apiUrl, mode });
  departures = createDepartures({
    store: at.store,
    slack: createSlackFacts({ client: web, team: slack.teamId, store: at.store }),
    team: slack.teamId,
    slash: '/forge',
    log: createLog({ level: 'silent' }),
    now: at.now,
  });
  at.store.outbox.watch(() => {
    if (cutOff) throw new Error('the process was stopped');
  });
});
afterEach(async () => {
  await client.close();
  await Promise.all([forge.close(), slack.close()]);
});

const person = (user: string) => ({ team: slack.teamId, user });
const place = () => ({ team: slack.teamId, channel });
const link = (user: string, login: string) =>
  at.store.accounts.put(person(user), {
    login,
    forgeUserId: null,
    verified: false,
    credential: { kind: 'token', token: forge.account(login).token() },
  });
async function follow(repository: string, owner: string): Promise<Target> {
  const [of = '', repo = ''] = repository.split('/');
  const service = client.as({ kind: 'token', token: forge.account('ada').token() });
  const target: Target = { kind: 'repo', id: (await service.repos.get({ owner: of, repo })).id };
  await at.store.subscriptions.put({ place: place(), target, owner, filter: {} }, repository);
  at.pass(1_000);
  return target;
}
const sub = (target: Target) => at.store.subscriptions.get({ place: place(), target });
const waiting = async (where = place()) => JSON.stringify((await at.store.outbox.view(where, 50)).entries);

it('notices in a round over everyone who left without an event, and forgets them', async () => {
  await link(ada, 'ada');
  await link(grace, 'grace');
  await slack.happens.deactivate('grace').catch(() => {});
  for (let looks = 0; looks === 0 || (await at.store.departures.lookedTo()) !== '0'; looks += 1)
    await departures.look();
  expect(await at.store.departures.all()).toMatchObject([{ person: person(grace) }]);
  await departures.processAll();
  expect(await at.store.accounts.get(person(grace))).toBeUndefined();
  expect(await at.store.accounts.get(person(ada))).toMatchObject({ login: 'ada' });
  expect(await at.store.departures.all()).toEqual([]);
});

it('gives a subscription to nobody who did not ask for it, and asks the channel', async () => {
  await link(ada, 'ada');
  await link(grace, 'grace');
  const vault = await follow('acme/vault', grace);
  await follow('acme/engine', ada);
  await at.store.departures.note(person(grace));
  await departures.processAll();
  expect(await sub(vault)).toMatchObject({ owner: grace, paused: { reason: 'Its owner has left.' } });
  expect(await waiting()).toContain('Updates on acme/vault are paused');
  expect(await waiting()).toContain('Take over');
});

it('pauses what is withheld too: it does not resume in the name of someone who left', async () => {
  const vault = await follow('acme/vault', grace);
  const website = await follow('acme/website', grace);
  const before = { reason: 'It is private.', at: at.now() };
  await at.store.subscriptions.pause({ place: place(), target: vault }, { ...before, cause: 'withheld' });
  await at.store.subscriptions.pause({ place: place(), target: website }, before);
  await at.store.departures.note(person(grace));
  await departures.processAll();
  expect((await sub(vault))?.paused).toEqual({ reason: 'Its owner has left.', at: at.now() });
  expect((await sub(website))?.paused).toEqual(before);
  expect(await waiting()).toContain('Updates on acme/vault are paused');
  expect((await at.store.outbox.view(place())).size).toBe(1);
});

it('pauses it, and announces it once even if interrupted afterwards', async () => {
  await link(alan, 'linus');
  const vault = await follow('acme/vault', grace);
  await follow('acme/website', alan);
  await at.store.departures.note(person(grace));
  cutOff = true;
  await departures.processAll();
  expect((await sub(vault))?.paused).toBeUndefined();
  cutOff = false;
  await departures.processAll();
  expect((await sub(vault))?.paused?.reason).toContain('has left');
  expect((await at.store.outbox.view(place(), 50)).size).toBe(1);
  expect(await waiting()).toContain('Updates on acme/vault are paused');
});
