import { describe, expect, it, vi } from 'vitest';
import type { Context } from '../../src/chat/context.js';
import { forgetPerson } from '../../src/features/accounts/sign-out.js';
import { watch } from '../../src/features/subscriptions/save.js';
import { parseFilter } from '../../src/feed/filter.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { createLog } from '../../src/log.js';
import { plainJson, type Subscription } from '../../src/store/index.js';
import { createLatch } from '../support/latch.js';
import { useFeed } from './feed-services.js';

const services = useFeed({ people: { ada: 'U0ADA00001' } });
const repo = 'acme/engine';
const engine = 'C0ENGINE01';
const place = () => ({ team: services.slack.teamId, channel: engine });

async function only(): Promise<Subscription> {
  const [sub] = await services.store.subscriptions.inChannel(place());
  if (!sub) throw new Error('not subscribed');
  return sub;
}

/** As the command does it: the subscription first, then its sources. */
async function subscribeAgain(words: string): Promise<void> {
  const { store, service, now } = services;
  const found = await service.repos.get({ owner: 'acme', repo: 'engine' });
  const target = { kind: 'repo', id: found.id } as const;
  const filter = parseFilter(words);
  await store.subscriptions.put({ place: place(), target, owner: 'U0ADA00001', filter: plainJson(filter) }, repo);
  const ports = { store, service, now: new Date(now()), log: createLog({ level: 'silent' }) };
  const forge = { capabilities: { has: async () => true } };
  // only what watching needs of a command's context
  await watch({ target, name: repo, repositories: [found] }, filter, { ...ports, forge } as unknown as Context);
}

/** Someone subscribes at the moment the worker has decided to drop a source, and goes as far as they can. */
async function raced(words: string): Promise<void> {
  const { store } = services;
  const [drop, open] = [store.sources.drop, store.marks.open];
  let again: Promise<void> | undefined;
  const refused = createLatch();
  vi.spyOn(store.marks, 'open').mockImplementation(async (...args) => {
    const opened = await open(...args);
    if (again && !opened) refused.open();
    return opened;
  });
  vi.spyOn(store.sources, 'drop').mockImplementation(async (source) => {
    again ??= subscribeAgain(words);
    await Promise.race([again, refused.opened]);
    await drop(source);
  });
  await services.jobs.steps.reconcile();
  expect(again).toBeDefined();
  await again;
  vi.restoreAllMocks();
}

describe('a source that is followed again while it is dropped', () => {
  it.each([
    ['after unsubscribing', async () => void (await services.store.subscriptions.remove(await only()))],
    ['after a pause', async () => void (await services.store.subscriptions.pause(await only(), { reason: '', at: 0 }))],
  ])('misses nothing %s', async (_, stop) => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    await stop();
    await raced('issues');
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'grace', repo, title: 'Right after' });
    await services.round();
    expect(services.shown(engine).join()).toContain('Right after');
  });

  it('misses no run if runs are added back', async () => {
    await services.subscribe(engine, repo, 'issues runs:all');
    await services.round();
    await services.subscribe(engine, repo, 'issues');
    await raced('issues runs:all');
    services.pass(1_000);
    const { world } = services.forge;
    world.finishRun({ run: world.startRun({ as: 'grace', repo, title: 'Right after' }).id, conclusion: 'failure' });
    await services.round();
    expect(services.shown(engine).join()).toContain('Right after');
  });
});

describe('reconciling', () => {
  const names = ['acme/engine', 'acme/website', 'linus/notes'];
  const idOf = (name: string) => services.forge.world.repo(name).id;

  it('reads the subscriptions that changed, and all of them within ten minutes', async () => {
    const { store, jobs } = services;
    for (const name of names) await services.subscribe(engine, name, 'issues');
    await jobs.steps.reconcile();
    const reads = vi.spyOn(store.subscriptions, 'of');
    const read = () => reads.mock.calls.map(([{ id }]) => id);
    await services.subscribe(engine, 'linus/notes', 'issues runs:all');
    await jobs.steps.reconcile();
    expect(await store.sources.get(`runs-${idOf('linus/notes')}`)).toBeDefined();
    expect(read()).toContain(idOf('linus/notes'));
    expect(read().length).toBeLessThan(names.length);
    reads.mockClear();
    for (let turn = 0; turn < 20; turn++) await jobs.steps.reconcile();
    expect([...new Set(read())].sort()).toEqual(names.map(idOf).sort());
    vi.restoreAllMocks();
  });

  it('asks for what any subscription wants of an owner’s items and of a repository’s runs', async () => {
    const { store, jobs } = services;
    await services.subscribe(engine, 'acme/engine', 'issues +label:bug reviews:requested runs:stuck');
    await services.subscribe(engine, 'acme/website', 'issues +label:urgent');
    await services.subscribe('C0GENERAL1', 'acme/*', 'runs:all');
    await jobs.steps.reconcile();
    const items = (await store.sources.list()).filter(({ source }) => source.startsWith('items-'));
    expect(items.map(({ state }) => state.about)).toMatchObject([{ labels: ['bug', 'urgent'], requests: true }]);
    expect((await store.sources.get(`runs-${idOf('acme/engine')}`))?.about).toMatchObject({ stuck: true });
  });

  it('asks for nothing of an owner whose only pattern is paused', async () => {
    const { store, jobs } = services;
    await services.subscribe(engine, 'acme/*', 'issues');
    await store.subscriptions.pause(await only(), { reason: 'Its owner has left.', at: 0 });
    await jobs.steps.reconcile();
    expect(await store.sources.list()).toEqual([]);
  });

  it('learns the new name of an owner', async () => {
    const { store, jobs } = services;
    await services.subscribe(engine, 'linus/*', 'issues');
    await jobs.steps.reconcile();
    services.forge.world.renameUser({ login: 'linus', to: 'torvalds' });
    services.pass(11 * 60_000);
    await jobs.steps.reconcile();
    expect((await store.subscriptions.listFollowed()).map(({ name }) => name)).toEqual(['torvalds']);
  });

  it('reads alone what a poll left in doubt, and not from the list of its owner’s many', async () => {
    const { world } = services.forge;
    for (let nth = 0; nth < 11; nth++) {
      world.createRepo({ as: 'ada', owner: 'acme', name: `part-${nth}` });
      await services.subscribe(engine, `acme/part-${nth}`, 'issues');
    }
    await services.jobs.steps.reconcile();
    services.forge.requests.clear();
    services.pass(11 * 60_000);
    await services.poll();
    expect(services.forge.requests.all.filter(({ path }) => path.endsWith('/repos/acme/part-3'))).toEqual([]);
    world.renameRepo({ as: 'ada', repo: 'acme/part-3', name: 'gear' });
    services.pass(1_000);
    await services.poll();
    await services.jobs.steps.reconcile();
    const names = (await services.store.subscriptions.listFollowed()).map(({ name }) => name);
    expect(names).toContain('acme/gear');
  });

  it('by one worker knows what another one has seen to before', async () => {
    const { store, jobs } = services;
    const other = services.another();
    for (const name of names) await services.subscribe(engine, name, 'issues');
    await Promise.all([jobs.steps.reconcile(), other.steps.reconcile()]);
    await services.subscribe(engine, 'linus/notes', 'issues runs:all');
    await jobs.steps.reconcile();
    await other.steps.reconcile();
    expect(await store.sources.get(`runs-${idOf('linus/notes')}`)).toBeDefined();
  });
});

it('starts anew if Redis failed in the middle of dropping it', async () => {
  const { store, forge } = services;
  await services.subscribe(engine, repo, 'issues');
  await services.round();
  await store.subscriptions.remove(await only());
  const written = new Set<string>();
  const failingSecond = (write: (source: string) => Promise<void>) => async (source: string) => {
    if (written.has(source)) throw new Error('Connection is closed.');
    written.add(source);
    await write(source);
  };
  const [drop, clear] = [failingSecond(store.sources.drop), failingSecond(store.marks.clear)];
  vi.spyOn(store.sources, 'drop').mockImplementation(drop);
  vi.spyOn(store.marks, 'clear').mockImplementation(clear);
  await expect(services.jobs.steps.reconcile()).rejects.toThrow('Connection is closed.');
  vi.restoreAllMocks();
  await services.jobs.steps.reconcile();
  services.pass(7 * 86_400_000);
  forge.world.openIssue({ as: 'grace', repo, title: 'While nobody followed' });
  services.pass(60_000);
  await subscribeAgain('issues');
  await services.round();
  expect(services.shown(engine)).toEqual([]);
});

it('forgets how far an inbox was read even if Redis fails while its person signs out', async () => {
  const { store, slack } = services;
  const person = { team: slack.teamId, user: 'U0ADA00001' };
  const inbox = sourceKey({ kind: 'inbox', ...person });
  await store.marks.begin(inbox, { time: services.now(), seen: [] });
  vi.spyOn(store.sources, 'drop').mockRejectedValue(new Error('Connection is closed.'));
  await expect(forgetPerson(store, person, 'signed out')).rejects.toThrow('Connection is closed.');
  vi.restoreAllMocks();
  expect(await store.marks.get(inbox)).toBeUndefined();
});
