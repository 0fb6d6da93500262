import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';
const room = 'C0PRIVATE1';
const ada = 'U0ADA00001';
const timeout = 60_000;

describe('a repository that is hidden for a while', () => {
  const house = useFeed({ people: { ada } });
  const issue = (repo: string, title: string) => house.forge.world.openIssue({ as: 'ada', repo, title });
  const setPrivate = (isPrivate: boolean) => {
    house.forge.world.setPrivate({ repo: 'acme/engine', private: isPrivate });
    house.pass(61_000);
  };
  const said = (part: string) => house.shown(engine).filter((text) => text.includes(part));

  it('leaves a pattern alone, is said so once, and is back by itself', { timeout }, async () => {
    await house.subscribe(engine, 'acme/*', 'issues');
    await house.round();
    setPrivate(true);
    issue('acme/engine', 'Hidden one');
    issue('acme/engine', 'Hidden two');
    house.pass(1_000);
    issue('acme/website', 'Meanwhile');
    await house.round();
    await house.round();
    expect(said('acme/engine is private now')).toEqual([expect.stringContaining('acme/* leaves it out')]);
    expect(said('Meanwhile')).toHaveLength(1);
    setPrivate(false);
    await house.round();
    issue('acme/engine', 'Open again');
    await house.round();
    expect(said('acme/engine can be shown here again')).toHaveLength(1);
    expect(said('Open again')).toHaveLength(1);
    expect(JSON.stringify(house.slack.state.messages(engine))).not.toContain('Hidden');
  });

  it('is never named where it was always hidden', { timeout }, async () => {
    await house.subscribe(engine, 'acme/*', 'issues');
    await house.round();
    house.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'secret', private: true });
    await house.round();
    house.pass(1_000);
    issue('acme/secret', 'Hidden');
    issue('acme/vault', 'Hidden');
    issue('acme/website', 'Open');
    await house.round();
    expect(house.shown(engine)).toEqual([expect.stringContaining('Open')]);
  });

  it('pauses a subscription of its own, which resumes by itself', { timeout }, async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.round();
    setPrivate(true);
    issue('acme/engine', 'Hidden');
    await house.round();
    await house.deliver();
    expect(said('acme/engine is private now')).toEqual([expect.stringContaining('Updates are paused')]);
    const dm = house.shown(house.slack.as('ada').dm);
    expect(dm).toEqual([expect.stringContaining('Updates on acme/engine in #engine are paused')]);
    setPrivate(false);
    await house.round();
    await house.round();
    issue('acme/engine', 'Open again');
    await house.round();
    expect(said('Open again')).toHaveLength(1);
    expect(JSON.stringify(house.slack.state.messages(engine))).not.toContain('Hidden');
  });
});

describe('a repository that is gone, or goes by another name', () => {
  const house = useFeed({ people: { ada } });
  const place = () => ({ team: house.slack.teamId, channel: engine });
  const subs = () => house.store.subscriptions.inChannel(place());

  it('ends its subscription when it was deleted, and says so once', { timeout }, async () => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.subscribe(engine, 'acme/website', 'issues');
    await house.round();
    house.forge.world.deleteRepo({ as: 'ada', repo: 'acme/engine' });
    await house.round();
    expect(await subs()).toHaveLength(2);
    house.pass(61_000);
    await house.round();
    await house.round();
    expect(await subs()).toHaveLength(1);
    expect(house.shown(engine)).toEqual([expect.stringContaining('acme/engine no longer exists on the forge')]);
    expect((await house.store.sources.list()).filter(({ state }) => JSON.stringify(state).includes('engine'))).toEqual(
      [],
    );
  });

  it.each([
    ['renamed', () => house.forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' }), 'acme/motor'],
    [
      'transferred',
      () => house.forge.world.transferRepo({ as: 'ada', repo: 'acme/engine', to: 'linus' }),
      'linus/engine',
    ],
  ])('is shown by its new name and known by both when it was %s', { timeout }, async (_how, change, name) => {
    await house.subscribe(engine, 'acme/engine', 'issues');
    await house.round();
    const { index } = house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Leak' });
    await house.round();
    change();
    house.pass(1_000);
    house.forge.world.comment({ as: 'ada', repo: name, index, body: 'Found it' });
    house.forge.world.close({ as: 'ada', repo: name, index });
    await house.round();
    await house.round();
    const [sub] = await subs();
    if (!sub) throw new Error('the subscription is gone');
    expect(await house.store.subscriptions.nameOf(sub.target)).toBe(name);
    expect(await house.store.subscriptions.formerly('Acme/Engine')).toMatchObject({ kind: 'repo', id: sub.target.id });
    const [card] = house.slack.state.messages(engine);
    expect(JSON.stringify(card)).toContain(name);
    expect(JSON.stringify(card)).not.toContain('acme/engine');
  });
});

describe('a repository that only the bot lost sight of', () => {
  const house = useFeed({ people: { linus: ada } });

  it('pauses, and its owner is told what to do', { timeout }, async () => {
    const { world } = house.forge;
    await house.subscribe(room, 'linus/notes', 'issues');
    await house.round();
    const bot = world.user('ada');
    if (bot) bot.admin = false;
    world.setPrivate({ repo: 'linus/notes', private: true });
    house.pass(11 * 60_000);
    await house.round();
    const [sub] = await house.store.subscriptions.inChannel({ team: house.slack.teamId, channel: room });
    expect(sub?.paused?.reason).toContain('can no longer read the repository');
    await house.deliver();
    expect(house.shown(house.slack.as('ada').dm)).toEqual([expect.stringContaining('linus/notes in')]);
  });
});

describe('a channel that is lost for a while', () => {
  const house = useFeed({ people: { ada } });
  const issue = (repo: string, title: string) => house.forge.world.openIssue({ as: 'ada', repo, title });
  const paused = async (channel: string) =>
    (await house.store.subscriptions.inChannel({ team: house.slack.teamId, channel })).filter((sub) => sub.paused);

  it('is told to its owner once for all, by name, and goes on with a digest', { timeout }, async () => {
    await house.subscribe(room, 'acme/engine', 'issues');
    await house.subscribe(room, 'acme/website', 'issues');
    await house.round();
    void house.slack.happens.archive(room, 'ada');
    house.pass(61_000);
    issue('acme/engine', 'One');
    issue('acme/website', 'Two');
    await house.round();
    await house.deliver();
    await house.round();
    const dm = house.shown(house.slack.as('ada').dm);
    expect(dm).toHaveLength(1);
    expect(dm[0]).toContain('#private');
    expect(dm[0]).toContain('acme/engine, acme/website');
    expect(await paused(room)).toEqual([]);
    house.pass(61_000);
    issue('acme/engine', 'Three');
    await house.round();
    void house.slack.happens.archive(room, 'ada', false);
    house.pass(61_000);
    await house.round();
    const told = JSON.stringify(house.slack.state.messages(room));
    for (const title of ['One', 'Two', 'Three']) expect(told).toContain(title);
    expect(house.shown(room).length).toBeLessThan(3);
    expect(house.shown(house.slack.as('ada').dm)).toHaveLength(1);
    house.pass(1_000);
    issue('acme/engine', 'Four');
    await house.round();
    expect(house.shown(room).at(-1)).toContain('Four');
    expect(await house.store.lostChannels.all()).toEqual([]);
  });

  it('waits while it is shared with another organisation', { timeout }, async () => {
    await house.subscribe(room, 'acme/engine', 'issues');
    await house.round();
    void house.slack.happens.share(room, 'T0OTHER001');
    house.pass(61_000);
    issue('acme/engine', 'Not for strangers');
    await house.round();
    await house.round();
    expect(house.shown(room)).toEqual([]);
    void house.slack.happens.unshare(room, 'T0OTHER001');
    house.pass(61_000);
    await house.round();
    expect(house.shown(room)).toEqual([expect.stringContaining('Not for strangers')]);
  });
});
