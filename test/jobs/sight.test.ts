import { describe, expect, it } from 'vitest';
import { createSight } from '../../src/jobs/sight.js';
import { servers } from '../support/servers.js';
import { useFeed } from './feed-services.js';

const room = 'C0PRIVATE1';

describe('a pattern in a private channel', () => {
  describe('subscribed by someone who may see everything', () => {
    const services = useFeed({ people: { ada: 'U0ADA00001' } });

    it('posts a private repository that was added later', async () => {
      await services.subscribe(room, 'acme/*', 'issues');
      await services.round();
      services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'secret', private: true });
      await services.round();
      await services.round();
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/secret', title: 'Hidden' });
      await services.round();
      expect(services.shown(room).join('\n')).toContain('Hidden');
    });
  });

  describe('subscribed by someone who may not', () => {
    const services = useFeed({ people: { linus: 'U0ADA00001' } });

    it('posts public repositories, and no private ones', async () => {
      await services.subscribe(room, 'acme/*', 'issues');
      await services.round();
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
      await services.round();
      // not even queued for the channel
      const { decisions } = services.store;
      const hidden = services.forge.world.repo('acme/vault').issues.size;
      const about = await decisions.about(`${services.forge.url}/acme/vault/issues/${hidden}`);
      expect(about).toMatchObject([{ kept: false, clause: expect.stringContaining('can’t see this repository') }]);
      expect(services.shown(room)).toEqual([expect.stringContaining('Open')]);
    });

    it('posts no private one whose former name they may see', async () => {
      const { world } = services.forge;
      await services.subscribe(room, 'acme/vault', 'issues');
      await services.round();
      services.pass(1_000);
      world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      await services.poll();
      world.renameRepo({ as: 'ada', repo: 'acme/vault', name: 'safe' });
      world.createRepo({ as: 'ada', owner: 'acme', name: 'vault' });
      await services.deliver();
      expect(JSON.stringify(services.slack.state.messages(room))).not.toContain('Hidden');
    });
  });

  describe('subscribed by someone who is no longer linked', () => {
    const services = useFeed();

    it('posts public repositories only', async () => {
      await services.subscribe(room, 'acme/*', 'issues');
      await services.round();
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
      await services.round();
      expect(services.shown(room)).toEqual([expect.stringContaining('Open')]);
    });
  });
});

/** As a team of the organization with these units of the private repository and nothing else. */
describe.each(servers)('a private repository of which the owner’s team has some units, on %s', (flavor) => {
  const services = useFeed({ flavor, people: { hedy: 'U0ADA00001' } });
  const repo = 'acme/vault';
  const given = (
    units: Readonly<Partial<Record<'wiki' | 'issues' | 'pulls' | 'code' | 'actions' | 'releases', 'read'>>>,
  ) => {
    const { world } = services.forge;
    world.createUser({ login: 'hedy' });
    world.createTeam({ org: 'acme', name: 'partly', allRepos: true, units, members: ['hedy'] });
  };
  const happen = () => {
    const { world } = services.forge;
    services.pass(1_000);
    world.openIssue({ as: 'ada', repo, title: 'Secret issue', body: 'Secret words' });
    world.push({ as: 'ada', repo, branch: 'draft', commits: ['Secret commit'] });
    world.openPull({ as: 'ada', repo, title: 'Secret pull', head: 'draft' });
    world.release({ as: 'ada', repo, tag: 'v9', title: 'Secret release' });
    const run = world.startRun({ as: 'ada', repo, title: 'Secret run', branch: 'draft' });
    world.finishRun({ run: run.id, conclusion: 'failure' });
  };
  const said = () => JSON.stringify(services.slack.state.messages(room));

  it('shows nothing to a channel whose owner has its wiki only', async () => {
    given({ wiki: 'read' });
    for (const target of ['acme/vault', 'acme/va*'])
      await services.subscribe(room, target, 'issues pulls comments commits branches releases runs');
    await services.round();
    happen();
    await services.round();
    expect(said()).not.toMatch(/Secret/);
    expect(services.shown(room)).toEqual([]);
  });

  it('shows the units the owner has, and asks each of them once', async () => {
    given({ issues: 'read' });
    await services.subscribe(room, repo, 'issues pulls comments commits branches releases runs');
    await services.round();
    happen();
    await services.round();
    expect(
      said()
        .match(/Secret \w+/g)
        ?.every((words) => words === 'Secret issue' || words === 'Secret words'),
    ).toBe(true);
    expect(services.shown(room)).toEqual([expect.stringContaining('Secret issue')]);
    const probes = services.forge.requests.of('GET /repos/{owner}/{repo}/issues').filter(({ who }) => who === 'hedy');
    expect(probes).toHaveLength(1);
  });
});

describe('a private repository whose owner’s account is refused', () => {
  const services = useFeed({ people: { ada: 'U0BOT00001', grace: 'U0ADA00001' } });

  it('waits a while, then is left out until the account works again', async () => {
    const { world } = services.forge;
    await services.subscribe(room, 'acme/vault', 'issues');
    await services.subscribe(room, 'acme/engine', 'issues');
    await services.round();
    const owner = world.user('grace');
    if (!owner) throw new Error('no owner');
    owner.prohibitLogin = true;
    world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
    await services.poll();
    services.pass(1_000);
    world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
    await services.poll();
    services.pass(1_000);
    await services.poll();
    const place = { team: services.slack.teamId, channel: room };
    expect(await services.jobs.steps.deliver(place)).toBe(10_000);
    expect(services.shown(room)).toEqual([]);
    await services.deliver();
    expect(services.shown(room).join('\n')).toContain('Open');
    expect(JSON.stringify(services.slack.state.messages(room))).not.toContain('Hidden');
    owner.prohibitLogin = false;
    services.pass(61_000);
    await services.round();
    expect(services.shown(room).at(-1)).toContain('acme/vault can be shown here again');
  });

  it('under a pattern holds up its own channel once, and nobody else', async () => {
    const { world } = services.forge;
    await services.subscribe(room, 'acme/va*', 'issues');
    await services.round();
    const owner = world.user('grace');
    if (owner) owner.prohibitLogin = true;
    const place = { team: services.slack.teamId, channel: room };
    const post = async (title: string) => {
      services.pass(3_600_000);
      world.openIssue({ as: 'ada', repo: 'acme/vault', title });
      await services.poll();
      services.pass(1_000);
      await services.poll();
    };
    await post('Hidden one');
    expect(await services.store.outbox.size(place)).toBe(1);
    expect(await services.jobs.steps.deliver(place)).toBe(10_000);
    await services.deliver();
    await post('Hidden two');
    expect(await services.jobs.steps.deliver(place)).toBeUndefined();
    expect(JSON.stringify(services.slack.state.messages(room))).not.toContain('Hidden');
  });
});

describe('what a person sees', () => {
  const services = useFeed();

  it('says nothing about someone of another workspace with the same id', async () => {
    const sight = createSight({ as: async ({ team }) => (team === 'T1' ? services.service : undefined) });
    const repo = { id: services.forge.world.repo('acme/vault').id, fullName: 'acme/vault' };
    expect(await sight({ team: 'T1', user: 'U1' }, repo)).toBe(true);
    expect(await sight({ team: 'T2', user: 'U1' }, repo)).toBeUndefined();
  });
});
