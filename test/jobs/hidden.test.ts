import { describe, expect, it } from 'vitest';
import { redrawCards } from '../../src/features/pulls/take.js';
import { useFeed } from './feed-services.js';

const open = 'C0ENGINE01';
const room = 'C0PRIVATE1';

describe('a repository that is hidden without being private', () => {
  const services = useFeed({ people: { ada: 'U0ADA00001' } });
  const issue = (repo: string, title: string) => services.forge.world.openIssue({ as: 'ada', repo, title });
  const paused = async (channel: string) => {
    const [sub] = await services.store.subscriptions.inChannel({ team: services.slack.teamId, channel });
    return sub?.paused;
  };

  it.each(['limited', 'private'] as const)('of a %s owner is posted in a private channel only', async (visibility) => {
    const { world } = services.forge;
    world.createOrg({ as: 'ada', login: 'hush', visibility });
    world.createRepo({ as: 'ada', owner: 'hush', name: 'plans' });
    await services.subscribe(open, 'hush/plans', 'issues');
    await services.subscribe(room, 'hush/plans', 'issues');
    await services.round();
    services.pass(1_000);
    issue('hush/plans', 'Hidden');
    await services.round();
    expect(services.shown(open)).toEqual([expect.stringContaining('hush/plans is private now')]);
    expect(JSON.stringify(services.slack.state.messages(open))).not.toContain('Hidden');
    expect(await paused(open)).toMatchObject({ reason: expect.stringContaining('everyone can read this channel') });
    expect(services.shown(room)).toEqual([expect.stringContaining('Hidden')]);
  });

  it('is withheld as soon as a webhook says that something changed', async () => {
    await services.subscribe(open, 'acme/engine', 'issues');
    await services.round();
    services.pass(1_000);
    issue('acme/engine', 'Hidden');
    await services.poll();
    services.forge.world.setPrivate({ repo: 'acme/engine', private: true });
    await services.jobs.wakeRepository(services.forge.world.repo('acme/engine').id);
    await services.deliver();
    expect(JSON.stringify(services.slack.state.messages(open))).not.toContain('Hidden');
  });

  it('is left out of a pattern when its owner becomes limited', async () => {
    await services.subscribe(open, 'acme/*', 'issues');
    await services.subscribe(open, 'linus/*', 'issues');
    await services.round();
    services.forge.world.setVisibility({ login: 'linus', visibility: 'limited' });
    services.pass(61_000);
    services.forge.world.openIssue({ as: 'linus', repo: 'linus/notes', title: 'Hidden' });
    services.pass(1_000);
    issue('acme/engine', 'Open');
    await services.round();
    expect(services.shown(open)).toHaveLength(2);
    expect(services.shown(open).join()).toContain('Open');
    expect(services.shown(open).join()).toContain('linus/* leaves it out');
    expect(JSON.stringify(services.slack.state.messages(open))).not.toContain('Hidden');
    expect(await paused(open)).toBeUndefined();
  });

  it('is not taken for the public one that has its name now', async () => {
    const { world } = services.forge;
    world.createRepo({ as: 'ada', owner: 'acme', name: 'lab' });
    await services.subscribe(open, 'acme/lab', 'issues');
    await services.round();
    services.pass(1_000);
    issue('acme/lab', 'Hidden');
    await services.poll();
    world.setPrivate({ repo: 'acme/lab', private: true });
    world.renameRepo({ as: 'ada', repo: 'acme/lab', name: 'old-lab' });
    world.createRepo({ as: 'ada', owner: 'acme', name: 'lab' });
    services.pass(61_000);
    await services.deliver();
    expect(JSON.stringify(services.slack.state.messages(open))).not.toContain('Hidden');
  });

  it('keeps to itself who took a review, and so does a subscription that is paused', async () => {
    const { store, slack, forge } = services;
    const { world } = forge;
    const { id, owner } = world.createRepo({ as: 'ada', owner: 'acme', name: 'closing' });
    const fullName = 'acme/closing';
    const repo = { id, ownerId: owner.id, fullName };
    await services.subscribe(open, fullName, 'pulls');
    await services.round();
    services.pass(1_000);
    const places = ['seen', 'paused', 'hidden'].map((title) => {
      world.push({ as: 'ada', repo: fullName, branch: title, commits: [title] });
      const { index } = world.openPull({ as: 'ada', repo: fullName, title, head: title });
      world.requestReview({ as: 'ada', repo: fullName, index, from: ['grace'] });
      return { title, index };
    });
    await services.round();
    const taken = async (title: string) => {
      const { index = 0 } = places.find((each) => each.title === title) ?? {};
      const at = services.now();
      const person = { team: slack.teamId, user: 'U0GRACE001' };
      const claim = { repo, index, person, login: 'grace', at, until: at + 86_400_000, requested: true, asked: true };
      await store.reviews.put(`r${id}-n${index}`, claim, 86_400_000);
      await redrawCards(store, repo, `r${id}-n${index}`);
      await services.deliver();
      const card = slack.state.messages(open).find(({ text }) => text.includes(`#${index} ${title}`));
      return JSON.stringify(card?.blocks).includes('is reviewing since');
    };
    expect(await taken('seen')).toBe(true);
    const [sub] = await store.subscriptions.inChannel({ team: slack.teamId, channel: open });
    if (!sub) throw new Error('not subscribed');
    await store.subscriptions.pause(sub, { reason: 'Its owner has left.', at: services.now() });
    expect(await taken('paused')).toBe(false);
    await store.subscriptions.put(sub, fullName);
    world.setPrivate({ repo: fullName, private: true });
    services.pass(61_000);
    expect(await taken('hidden')).toBe(false);
  });

  it('is not posted in a digest either', async () => {
    await services.subscribe(open, 'acme/*', 'issues');
    await services.round();
    const until = services.now() + 60_000;
    await services.store.outbox.pause({ team: services.slack.teamId, channel: open }, 'muted', until);
    issue('acme/vault', 'Hidden');
    services.pass(1_000);
    issue('acme/engine', 'Open');
    issue('acme/engine', 'Open too');
    await services.poll();
    services.pass(120_000);
    await services.deliver();
    expect(services.shown(open)).toEqual(['2 updates in acme/engine']);
    expect(JSON.stringify(services.slack.state.messages(open))).not.toContain('Hidden');
  });
});

describe('a repository its owner in Slack can no longer see', () => {
  const services = useFeed({ people: { linus: 'U0ADA00001' } });

  it('keeps to itself who took a review, also if its owner still sees the wiki', async () => {
    const { store, slack, forge } = services;
    const fullName = 'acme/vault';
    const { id, owner } = forge.world.repo(fullName);
    forge.world.setCollaborator({ repo: fullName, login: 'linus', level: 'read' });
    await services.subscribe(room, fullName, 'pulls');
    await services.round();
    services.pass(1_000);
    forge.world.push({ as: 'ada', repo: fullName, branch: 'keys', commits: ['Keys'] });
    const { index } = forge.world.openPull({ as: 'ada', repo: fullName, title: 'Keys', head: 'keys' });
    forge.world.requestReview({ as: 'ada', repo: fullName, index, from: ['grace'] });
    await services.round();
    expect(services.shown(room)).toHaveLength(1);
    forge.world.setCollaborator({ repo: fullName, login: 'linus', level: 'none' });
    const units = { wiki: 'read' } as const;
    forge.world.createTeam({ org: 'acme', name: 'scribes', allRepos: true, units, members: ['linus'] });
    services.pass(6 * 60_000);
    const at = services.now();
    const repo = { id, ownerId: owner.id, fullName };
    const person = { team: slack.teamId, user: 'U0GRACE001' };
    const claim = { repo, index, person, login: 'grace', at, until: at + 86_400_000, requested: true, asked: true };
    await store.reviews.put(`r${id}-n${index}`, claim, 86_400_000);
    await redrawCards(store, repo, `r${id}-n${index}`);
    const other = services.another();
    for (const place of await store.outbox.pending()) await other.steps.deliver(place);
    expect(JSON.stringify(slack.state.messages(room))).not.toContain('is reviewing since');
  });

  it('is not posted, though it was before and the bot still sees it', async () => {
    const { world } = services.forge;
    world.setCollaborator({ repo: 'acme/vault', login: 'linus', level: 'read' });
    await services.subscribe(room, 'acme/vault', 'issues');
    await services.round();
    services.pass(1_000);
    world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Still shown' });
    await services.round();
    world.setCollaborator({ repo: 'acme/vault', login: 'linus', level: 'none' });
    services.pass(6 * 60_000);
    world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
    // another process without any cache
    const other = services.another();
    await services.poll();
    for (const place of await services.store.outbox.pending()) await other.steps.deliver(place);
    expect(JSON.stringify(services.slack.state.messages(room))).toContain('Still shown');
    expect(JSON.stringify(services.slack.state.messages(room))).not.toContain('Hidden');
  });
});
