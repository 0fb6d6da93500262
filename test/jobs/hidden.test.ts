import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const open = 'C0ENGINE01';
const room = 'C0PRIVATE1';

describe('a repository that is hidden without being private', () => {
  const house = useFeed({ people: { ada: 'U0ADA00001' } });
  const issue = (repo: string, title: string) => house.forge.world.openIssue({ as: 'ada', repo, title });
  const paused = async (channel: string) => {
    const [sub] = await house.store.subscriptions.inChannel({ team: house.slack.teamId, channel });
    return sub?.paused;
  };

  it.each(['limited', 'private'] as const)('of a %s owner is told in a private channel only', async (visibility) => {
    const { world } = house.forge;
    world.createOrg({ as: 'ada', login: 'hush', visibility });
    world.createRepo({ as: 'ada', owner: 'hush', name: 'plans' });
    await house.subscribe(open, 'hush/plans', 'issues');
    await house.subscribe(room, 'hush/plans', 'issues');
    await house.round();
    house.pass(1_000);
    issue('hush/plans', 'Hidden');
    await house.round();
    expect(house.shown(open)).toEqual([expect.stringContaining('hush/plans is private now')]);
    expect(JSON.stringify(house.slack.state.messages(open))).not.toContain('Hidden');
    expect(await paused(open)).toMatchObject({ reason: expect.stringContaining('everyone can read this channel') });
    expect(house.shown(room)).toEqual([expect.stringContaining('Hidden')]);
  });

  it('leaves a pattern alone when its owner turns limited', async () => {
    await house.subscribe(open, 'acme/*', 'issues');
    await house.subscribe(open, 'linus/*', 'issues');
    await house.round();
    house.forge.world.setVisibility({ login: 'linus', visibility: 'limited' });
    house.pass(61_000);
    house.forge.world.openIssue({ as: 'linus', repo: 'linus/notes', title: 'Hidden' });
    house.pass(1_000);
    issue('acme/engine', 'Open');
    await house.round();
    expect(house.shown(open)).toHaveLength(2);
    expect(house.shown(open).join()).toContain('Open');
    expect(house.shown(open).join()).toContain('linus/* leaves it out');
    expect(JSON.stringify(house.slack.state.messages(open))).not.toContain('Hidden');
    expect(await paused(open)).toBeUndefined();
  });

  it('is told in a digest as little as alone', async () => {
    await house.subscribe(open, 'acme/*', 'issues');
    await house.round();
    const until = house.now() + 60_000;
    await house.store.outbox.pause({ team: house.slack.teamId, channel: open }, 'muted', until);
    issue('acme/vault', 'Hidden');
    house.pass(1_000);
    issue('acme/engine', 'Open');
    issue('acme/engine', 'Open too');
    await house.poll();
    house.pass(120_000);
    await house.deliver();
    expect(house.shown(open)).toEqual(['2 things in acme/engine']);
    expect(JSON.stringify(house.slack.state.messages(open))).not.toContain('Hidden');
  });
});

describe('a repository whose owner in Slack lost sight of it', () => {
  const house = useFeed({ people: { linus: 'U0ADA00001' } });

  it('is not told, though it was told before and the bot still sees it', async () => {
    const { world } = house.forge;
    world.setCollaborator({ repo: 'acme/vault', login: 'linus', level: 'read' });
    await house.subscribe(room, 'acme/vault', 'issues');
    await house.round();
    house.pass(1_000);
    world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Still shown' });
    await house.round();
    world.setCollaborator({ repo: 'acme/vault', login: 'linus', level: 'none' });
    house.pass(6 * 60_000);
    world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
    // another process, which remembers nothing
    const other = house.another();
    await house.poll();
    for (const place of await house.store.outbox.pending()) await other.steps.deliver(place);
    expect(JSON.stringify(house.slack.state.messages(room))).toContain('Still shown');
    expect(JSON.stringify(house.slack.state.messages(room))).not.toContain('Hidden');
  });
});
