import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const room = 'C0PRIVATE1';
const ada = 'U0ADA00001';
const timeout = 60_000;

describe('a repository that is hidden for a while', () => {
  const services = useFeed({ people: { ada } });
  const issue = (repo: string, title: string) => services.forge.world.openIssue({ as: 'ada', repo, title });
  const setPrivate = (isPrivate: boolean) => {
    services.forge.world.setPrivate({ repo: 'acme/engine', private: isPrivate });
    services.pass(61_000);
  };
  const said = (part: string) => services.shown(engine).filter((text) => text.includes(part));

  it('is left out of a pattern, announced once each time, and comes back', { timeout }, async () => {
    await services.subscribe(engine, 'acme/*', 'issues');
    await services.round();
    setPrivate(true);
    issue('acme/engine', 'Hidden one');
    issue('acme/engine', 'Hidden two');
    services.pass(1_000);
    issue('acme/website', 'Meanwhile');
    await services.round();
    await services.round();
    expect(said('acme/engine is private now')).toEqual([expect.stringContaining('acme/* leaves it out')]);
    expect(said('Meanwhile')).toHaveLength(1);
    setPrivate(false);
    await services.round();
    issue('acme/engine', 'Open again');
    await services.round();
    expect(said('acme/engine can be shown here again')).toHaveLength(1);
    expect(said('Open again')).toHaveLength(1);
    setPrivate(true);
    issue('acme/engine', 'Hidden again');
    await services.round();
    expect(said('acme/engine is private now')).toHaveLength(2);
    expect(JSON.stringify(services.slack.state.messages(engine))).not.toContain('Hidden');
  });

  it('is still announced if it had been hidden for long before something happened', { timeout }, async () => {
    await services.subscribe(engine, 'acme/*', 'issues');
    await services.round();
    setPrivate(true);
    for (let times = 0; times < 2; times++) {
      services.pass(11 * 60_000);
      await services.round();
    }
    issue('acme/engine', 'Hidden');
    await services.round();
    expect(said('acme/engine is private now')).toHaveLength(1);
  });

  it('is never named if it was always hidden', { timeout }, async () => {
    await services.subscribe(engine, 'acme/*', 'issues');
    await services.round();
    services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'secret', private: true });
    await services.round();
    services.pass(1_000);
    issue('acme/secret', 'Hidden');
    issue('acme/vault', 'Hidden');
    issue('acme/website', 'Open');
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Open')]);
  });

  it('pauses its own subscription, which resumes later', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    setPrivate(true);
    issue('acme/engine', 'Hidden');
    await services.round();
    await services.deliver();
    expect(said('acme/engine is private now')).toEqual([expect.stringContaining('Updates are paused')]);
    const dm = services.shown(services.slack.as('ada').dm);
    expect(dm).toEqual([expect.stringContaining('Updates on acme/engine in #engine are paused')]);
    setPrivate(false);
    await services.round();
    await services.round();
    issue('acme/engine', 'Open again');
    await services.round();
    expect(said('Open again')).toHaveLength(1);
    expect(JSON.stringify(services.slack.state.messages(engine))).not.toContain('Hidden');
    expect(await services.store.absences.all()).toEqual([]);
  });
});

describe('a repository whose return is interrupted', () => {
  const services = useFeed({ people: { ada } });
  const place = () => ({ team: services.slack.teamId, channel: engine });
  const sub = async () => {
    const [found] = await services.store.subscriptions.inChannel(place());
    if (!found) throw new Error('the subscription is gone');
    return found;
  };

  it('resumes at the next look', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.forge.world.setPrivate({ repo: 'acme/engine', private: true });
    services.pass(61_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Hidden' });
    await services.round();
    expect((await sub()).paused?.cause).toBe('withheld');
    services.forge.world.setPrivate({ repo: 'acme/engine', private: false });
    services.pass(61_000);
    // the channel cannot be told now: Redis refuses the write
    const had = `bellows:{f0:channel:${place().team}:${engine}}:had`;
    const { redis } = services.store;
    await redis.rename(had, `${had}-kept`);
    await redis.set(had, 'not a set');
    await expect(services.jobs.steps.reconcile()).rejects.toThrow('WRONGTYPE');
    await redis.rename(`${had}-kept`, had);
    await services.round();
    expect((await sub()).paused).toBeUndefined();
    expect(services.shown(engine).filter((text) => text.includes('can be shown here again'))).toHaveLength(1);
  });

  it('resumes if it came back between the note and the pause, or by hand', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    const { id } = services.forge.world.repo('acme/engine');
    await services.store.absences.note(await sub(), { id, fullName: 'acme/engine' });
    await services.jobs.steps.reconcile();
    const paused = { reason: 'It is private.', at: services.now(), cause: 'withheld' } as const;
    await services.store.subscriptions.pause(await sub(), paused);
    await services.jobs.steps.reconcile();
    expect((await sub()).paused).toBeUndefined();
    // and is forgotten if its subscription was resumed by hand
    await services.store.absences.note(await sub(), { id, fullName: 'acme/engine' });
    services.pass(61_000);
    await services.jobs.steps.reconcile();
    expect(await services.store.absences.all()).toEqual([]);
  });

  it('is forgotten if its subscription is paused for another reason or ended', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.subscribe(engine, 'acme/*', 'issues');
    const { id } = services.forge.world.repo('acme/engine');
    const [named, pattern] = (await services.store.subscriptions.inChannel(place())).sort((one) =>
      one.target.kind === 'repo' ? -1 : 1,
    );
    if (!named || !pattern) throw new Error('a subscription is gone');
    for (const each of [named, pattern]) await services.store.absences.note(each, { id, fullName: 'acme/engine' });
    await services.store.subscriptions.pause(named, { reason: 'Its owner has left.', at: services.now() });
    await services.store.subscriptions.remove(pattern);
    services.pass(61_000);
    await services.round();
    expect(await services.store.absences.all()).toEqual([]);
    expect(services.shown(engine)).toEqual([]);
    expect((await sub()).paused?.reason).toBe('Its owner has left.');
  });
});

describe('a repository that was deleted or renamed', () => {
  const services = useFeed({ people: { ada } });
  const place = () => ({ team: services.slack.teamId, channel: engine });
  const subs = () => services.store.subscriptions.inChannel(place());

  it('ends its subscription if it was deleted, and says so once', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.subscribe(engine, 'acme/website', 'issues');
    const { id } = services.forge.world.repo('acme/engine');
    const others = { place: { ...place(), channel: room }, target: { kind: 'repo', id } } as const;
    const paused = { reason: 'Its owner has left.', at: services.now() };
    await services.store.subscriptions.put({ ...others, owner: 'U0GRACE001', filter: {}, paused }, 'acme/engine');
    await services.round();
    services.forge.world.deleteRepo({ as: 'ada', repo: 'acme/engine' });
    await services.poll();
    await services.round();
    expect(await subs()).toHaveLength(2);
    services.pass(61_000);
    await services.round();
    await services.round();
    expect(await subs()).toHaveLength(1);
    expect(await services.store.subscriptions.get(others)).toBeUndefined();
    expect(services.shown(engine)).toEqual([expect.stringContaining('acme/engine no longer exists on the forge')]);
    expect(
      (await services.store.sources.list()).filter(({ state }) => JSON.stringify(state).includes('engine')),
    ).toEqual([]);
  });

  it('ends its subscription also if its owner saw it right before', { timeout }, async () => {
    const { world } = services.forge;
    await services.subscribe(room, 'acme/vault', 'issues');
    await services.round();
    services.pass(1_000);
    world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Last words' });
    await services.round();
    expect(services.shown(room)).toEqual([expect.stringContaining('Last words')]);
    world.deleteRepo({ as: 'ada', repo: 'acme/vault' });
    await services.poll();
    await services.round();
    services.pass(61_000);
    await services.round();
    expect(services.shown(room).at(-1)).toContain('acme/vault no longer exists on the forge');
    expect(await services.store.subscriptions.inChannel({ ...place(), channel: room })).toEqual([]);
  });

  it.each([
    ['renamed', () => services.forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' }), 'acme/motor'],
    [
      'transferred',
      () => services.forge.world.transferRepo({ as: 'ada', repo: 'acme/engine', to: 'linus' }),
      'linus/engine',
    ],
  ])('is shown by its new name and known by both when it was %s', { timeout }, async (_how, change, name) => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    const { index } = services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Leak' });
    await services.round();
    change();
    services.pass(1_000);
    services.forge.world.comment({ as: 'ada', repo: name, index, body: 'Found it' });
    services.forge.world.close({ as: 'ada', repo: name, index });
    await services.round();
    await services.round();
    const [sub] = await subs();
    if (!sub) throw new Error('the subscription is gone');
    expect(await services.store.subscriptions.nameOf(sub.target)).toBe(name);
    expect(await services.store.subscriptions.formerly('Acme/Engine')).toMatchObject({
      kind: 'repo',
      id: sub.target.id,
    });
    const [card] = services.slack.state.messages(engine);
    expect(JSON.stringify(card)).toContain(name);
    expect(JSON.stringify(card)).not.toContain('acme/engine');
  });
});

describe('a repository only the bot can no longer see', () => {
  const services = useFeed({ people: { linus: ada } });
  const sub = async () =>
    (await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: room })).at(0);

  it('pauses after a minute, also where its owner has no account, and its owner learns what to do', {
    timeout,
  }, async () => {
    const { world } = services.forge;
    await services.subscribe(room, 'linus/notes', 'issues');
    const unlinked = { place: { team: services.slack.teamId, channel: engine }, owner: 'U0GRACE001', filter: {} };
    const target = { kind: 'repo', id: world.repo('linus/notes').id } as const;
    await services.store.subscriptions.put({ ...unlinked, target }, 'linus/notes');
    await services.round();
    const bot = world.user('ada');
    if (bot) bot.admin = false;
    world.setPrivate({ repo: 'linus/notes', private: true });
    services.pass(11 * 60_000);
    await services.round();
    expect((await sub())?.paused).toBeUndefined();
    services.pass(61_000);
    await services.round();
    for (const each of [await sub(), await services.store.subscriptions.get({ ...unlinked, target })])
      expect(each?.paused?.reason).toContain('can no longer read the repository');
    await services.deliver();
    expect(services.shown(services.slack.as('ada').dm)).toEqual([expect.stringContaining('linus/notes in')]);
  });

  it('does not pause because the bot’s whole account is refused for a while', { timeout }, async () => {
    const { world } = services.forge;
    await services.subscribe(room, 'linus/notes', 'issues');
    await services.round();
    const bot = world.user('ada');
    if (!bot) throw new Error('no bot');
    bot.prohibitLogin = true;
    for (let minutes = 0; minutes < 30; minutes += 10) {
      services.pass(10 * 60_000);
      await services.round();
    }
    expect((await sub())?.paused).toBeUndefined();
    bot.prohibitLogin = false;
    world.openIssue({ as: 'linus', repo: 'linus/notes', title: 'Back' });
    services.pass(61_000);
    await services.round();
    expect(services.shown(room)).toEqual([expect.stringContaining('Back')]);
  });
});

describe('a bot with a token for public repositories only', () => {
  const services = useFeed({ people: { linus: ada }, scopes: ['read:repository', 'read:issue', 'public-only'] });

  it('cannot see a repository that became private, and says so', { timeout }, async () => {
    await services.subscribe(room, 'linus/notes', 'issues');
    await services.round();
    const { world } = services.forge;
    world.openIssue({ as: 'linus', repo: 'linus/notes', title: 'Still public' });
    await services.poll();
    world.setPrivate({ repo: 'linus/notes', private: true });
    services.pass(11 * 60_000);
    await services.round();
    services.pass(61_000);
    await services.round();
    const [sub] = await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: room });
    expect(sub?.paused?.reason).toContain('can no longer read the repository');
  });
});

describe('a forge that refuses everyone for a while', () => {
  const services = useFeed({ people: { ada } });
  const subs = () => services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: engine });

  it('takes no subscription away', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.subscribe(engine, 'acme/*', 'pulls');
    await services.round();
    const proxyWords = { text: '404 page not found', status: 404, type: 'text/plain' };
    for (const trouble of [{ status: 403 }, proxyWords]) {
      services.forge.faults.add({ trouble, times: 10_000 });
      for (let minutes = 0; minutes < 30; minutes += 10) {
        services.pass(10 * 60_000);
        await services.round();
      }
      services.pass(25 * 3_600_000);
      await services.jobs.steps.rights();
      services.forge.faults.clear();
      expect((await subs()).map(({ paused }) => paused)).toEqual([undefined, undefined]);
    }
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Back' });
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Back')]);
  });
});

describe('a repository that nobody’s account can look for', () => {
  const linus = 'U0LINUS001';
  const services = useFeed({ people: { linus } });

  it('keeps its subscription while its owner has no linked account', { timeout }, async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.forge.world.deleteRepo({ as: 'ada', repo: 'acme/engine' });
    for (let minutes = 0; minutes < 5; minutes++) {
      services.pass(61_000);
      await services.round();
    }
    const place = { team: services.slack.teamId, channel: engine };
    expect(await services.store.subscriptions.inChannel(place)).toHaveLength(1);
    expect(services.shown(engine)).toEqual([]);
  });
});

describe('a channel that is lost for a while', () => {
  const services = useFeed({ people: { ada } });
  const issue = (repo: string, title: string) => services.forge.world.openIssue({ as: 'ada', repo, title });
  const paused = async (channel: string) =>
    (await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel })).filter(
      (sub) => sub.paused,
    );

  it('is reported to its owner once, by name, and resumes with a digest', { timeout }, async () => {
    await services.subscribe(room, 'acme/engine', 'issues');
    await services.subscribe(room, 'acme/website', 'issues');
    await services.subscribe(room, 'linus/notes', 'issues');
    const target = { kind: 'repo', id: services.forge.world.repo('linus/notes').id } as const;
    const left = { reason: 'Its owner has left.', at: services.now() };
    await services.store.subscriptions.pause({ place: { team: services.slack.teamId, channel: room }, target }, left);
    await services.round();
    void services.slack.happens.archive(room, 'ada');
    services.pass(61_000);
    issue('acme/engine', 'One');
    issue('acme/website', 'Two');
    await services.round();
    await services.deliver();
    await services.round();
    const dm = services.shown(services.slack.as('ada').dm);
    expect(dm).toHaveLength(1);
    expect(dm[0]).toContain('#private');
    expect(dm[0]).toContain('Updates on acme/engine, acme/website are waiting');
    expect(await paused(room)).toMatchObject([{ target }]);
    services.pass(61_000);
    issue('acme/engine', 'Three');
    await services.round();
    void services.slack.happens.archive(room, 'ada', false);
    services.pass(61_000);
    await services.round();
    const posted = JSON.stringify(services.slack.state.messages(room));
    for (const title of ['One', 'Two', 'Three']) expect(posted).toContain(title);
    expect(services.shown(room).length).toBeLessThan(3);
    expect(services.shown(services.slack.as('ada').dm)).toHaveLength(1);
    services.pass(1_000);
    issue('acme/engine', 'Four');
    await services.round();
    expect(services.shown(room).at(-1)).toContain('Four');
    expect(await services.store.lostChannels.all()).toEqual([]);
  });

  it('resumes also if what waited there was dropped, as with signing out', { timeout }, async () => {
    const { outbox } = services.store;
    const place = { team: services.slack.teamId, channel: room };
    await services.subscribe(room, 'acme/engine', 'issues');
    await services.round();
    void services.slack.happens.archive(room, 'ada');
    services.pass(61_000);
    issue('acme/engine', 'Dropped');
    await services.round();
    const { entries, pause } = await outbox.view(place, 10);
    expect(pause?.reason).toBe('The channel is archived.');
    await outbox.forget(
      place,
      entries.map(({ id }) => id),
    );
    await services.round();
    void services.slack.happens.archive(room, 'ada', false);
    services.pass(61_000);
    await services.round();
    issue('acme/engine', 'Back');
    await services.round();
    expect(services.shown(room)).toEqual([expect.stringContaining('Back')]);
    await services.round();
    expect(await services.store.lostChannels.all()).toEqual([]);
  });

  it('says how many updates were left out once its queue is full', { timeout }, async () => {
    const place = { team: services.slack.teamId, channel: room };
    await services.subscribe(room, 'acme/engine', 'issues');
    await services.round();
    void services.slack.happens.archive(room, 'ada');
    services.pass(61_000);
    issue('acme/engine', 'The first');
    await services.round();
    const [first] = (await services.store.outbox.view(place)).entries;
    if (!first) throw new Error('nothing waits');
    const many = Array.from({ length: 1_000 }, (_, at) => ({ id: `copy ${at}`, body: first.body }));
    await services.store.outbox.append(place, many);
    services.pass(1_000);
    for (const title of ['Late', 'Later', 'Latest']) issue('acme/engine', title);
    await services.round();
    void services.slack.happens.archive(room, 'ada', false);
    services.pass(61_000);
    await services.jobs.steps.reconcile();
    const { entries, size } = await services.store.outbox.view(place, 2_000);
    expect(size).toBe(1_002);
    expect(JSON.stringify(entries.at(-1))).toContain('3 more updates');
  });

  it('waits while it is shared with another organization', { timeout }, async () => {
    await services.subscribe(room, 'acme/engine', 'issues');
    await services.round();
    void services.slack.happens.share(room, 'T0OTHER001');
    services.pass(61_000);
    issue('acme/engine', 'Not for strangers');
    await services.round();
    await services.round();
    expect(services.shown(room)).toEqual([]);
    void services.slack.happens.unshare(room, 'T0OTHER001');
    services.pass(61_000);
    await services.round();
    expect(services.shown(room)).toEqual([expect.stringContaining('Not for strangers')]);
  });
});

describe('a repository that is followed again while the list of sources is made', () => {
  const services = useFeed();

  it('keeps its mark', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    const place = { team: services.slack.teamId, channel: engine };
    const { id } = await services.service.repos.get({ owner: 'acme', repo: 'engine' });
    const sub = { place, target: { kind: 'repo', id } } as const;
    await services.store.subscriptions.remove(sub);
    await services.subscribe(engine, 'acme/website', 'issues');
    let again: Promise<unknown> | undefined;
    const meanwhile = (body: unknown) => {
      again ??= services.store.subscriptions.put({ ...sub, owner: ada, filter: { version: 1 } }, 'acme/engine');
      return body;
    };
    services.forge.faults.add({ on: /^GET .*\/website$/, trouble: { bend: meanwhile } });
    await services.jobs.steps.reconcile();
    await again;
    expect(await services.store.marks.get(`repo-${id}`)).toBeDefined();
    await services.store.subscriptions.remove(sub);
    await services.jobs.steps.reconcile();
    expect(await services.store.marks.get(`repo-${id}`)).toBeUndefined();
  });
});
