import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPolicyFile } from '../../src/config/file.js';
import { createForge, type Forge } from '../../src/forge/index.js';
import { createRemindJobs } from '../../src/jobs/remind.js';
import { createLog } from '../../src/log.js';
import { type Connection, close, connect, type Reminder } from '../../src/store/index.js';
import { usualTempo } from '../../src/worker/tempo.js';
import { useFeed } from './feed-services.js';

const open = 'C0ENGINE01';
const room = 'C0PRIVATE1';
const owner = 'U0ADA00001';

describe('a reminder', () => {
  const services = useFeed({ people: { linus: owner } });
  let client: Forge;
  let linked = true;
  beforeEach(() => {
    client = createForge({ url: services.forge.url });
    linked = true;
    const { world } = services.forge;
    for (const repo of ['acme/engine', 'acme/vault']) {
      world.push({ as: 'grace', repo, branch: 'waits', commits: ['Work'] });
      const { index } = world.openPull({ as: 'grace', repo, title: `Look at ${repo}`, head: 'waits' });
      world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
    }
  });
  afterEach(() => client.close());
  const shown = (channel: string) => JSON.stringify(services.slack.state.messages(channel));
  const see = (level: 'read' | 'none') =>
    services.forge.world.setCollaborator({ repo: 'acme/vault', login: 'linus', level });

  async function keep(channel: string, time = '09:00', more: Partial<Reminder> = {}): Promise<string> {
    const place = { team: services.slack.teamId, channel };
    const about = { owner, days: ['daily'], time, zone: 'Etc/UTC', labels: [], without: [], drafts: false };
    const { id } = await services.store.reminders.put({
      ...about,
      ...place,
      id: 'r1',
      personal: false,
      repositories: [],
      ...more,
    });
    return id;
  }

  const remindJobs = (connection: Connection = services.store.redis) =>
    createRemindJobs({
      connection,
      store: services.store,
      service: services.service,
      as: async () =>
        linked ? client.as({ kind: 'token', token: services.forge.account('linus').token() }) : undefined,
      people: { slackUserOf: async () => undefined },
      policy: readPolicyFile('', 'bellows.yaml'),
      log: createLog({ level: 'silent' }),
      now: services.now,
    });

  /** Makes it due: it is read and queued in the outbox. */
  async function strike(channel: string, more: Partial<Reminder> = {}): Promise<void> {
    const id = await keep(channel, '09:00', more);
    const jobs = remindJobs();
    await jobs.remind(id, services.now());
    await jobs.queue.close();
  }

  it('shows the part of a pattern its owner sees, and nothing else', async () => {
    await services.subscribe(room, 'acme/*');
    await strike(room);
    const [waiting] = (await services.store.outbox.view({ team: services.slack.teamId, channel: room }, 5)).entries;
    expect(JSON.stringify(waiting)).not.toContain('vault');
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
    expect(shown(room)).not.toContain('vault');
  });

  it('shows nothing of a private repository of which its owner sees only the wiki', async () => {
    const { world } = services.forge;
    world.createTeam({ org: 'acme', name: 'scribes', allRepos: true, units: { wiki: 'read' }, members: ['linus'] });
    await services.subscribe(room, 'acme/*');
    await strike(room);
    const [waiting] = (await services.store.outbox.view({ team: services.slack.teamId, channel: room }, 5)).entries;
    expect(JSON.stringify(waiting)).not.toContain('Look at acme/vault');
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
    expect(shown(room)).not.toContain('vault');
  });

  it('shows both to someone who sees both', async () => {
    see('read');
    await services.subscribe(room, 'acme/*');
    await strike(room);
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
    expect(shown(room)).toContain('Look at acme/vault');
    expect(services.shown(room)).toEqual([expect.stringMatching(/^\d pull requests wait for review$/)]);
  });

  it('checks again when it is sent: its owner may have lost access', async () => {
    see('read');
    await services.subscribe(room, 'acme/*');
    await strike(room);
    see('none');
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
    expect(shown(room)).not.toContain('vault');
  });

  it('checks again when it is sent: everyone may read the channel by then, or strangers', async () => {
    see('read');
    await services.subscribe(room, 'acme/*');
    await services.subscribe(open, 'acme/engine');
    await strike(room);
    await strike(open);
    await services.slack.happens.convert(room, 'public', 'ada').catch(() => {});
    await services.slack.happens.share(open, 'T0STRANGER').catch(() => {});
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
    expect(shown(room)).not.toContain('vault');
    expect(shown(open)).not.toContain('Look at');
  });

  it('by someone without an account shows what everyone may see', async () => {
    see('read');
    linked = false;
    await services.subscribe(room, 'acme/*');
    await strike(room);
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
    expect(shown(room)).not.toContain('vault');
  });

  it('shows only what has waited for as long as it says', async () => {
    await services.subscribe(room, 'acme/engine');
    services.pass(2 * 86_400_000 - 1_000);
    await strike(room, { olderThan: 2 * 86_400 });
    await services.deliver();
    expect(shown(room)).not.toContain('Look at acme/engine');
    services.pass(1_000);
    await strike(room, { olderThan: 2 * 86_400 });
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
  });

  it('leaves out what has a label it does not want', async () => {
    const { world } = services.forge;
    const { index } = [...world.repo('acme/engine').issues.values()].find(({ title }) => title.startsWith('Look')) ?? {
      index: 0,
    };
    world.label({ as: 'ada', repo: 'acme/engine', index, labels: ['bug'] });
    await services.subscribe(room, 'acme/engine');
    await strike(room, { without: ['Bug'] });
    await services.deliver();
    expect(shown(room)).not.toContain('Look at acme/engine');
  });

  it('leaves out what is archived, and what the channel follows only in a paused subscription', async () => {
    const { store, slack, forge } = services;
    await services.subscribe(open, 'acme/engine');
    await services.subscribe(room, 'acme/engine');
    for (const sub of await store.subscriptions.inChannel({ team: slack.teamId, channel: room }))
      await store.subscriptions.pause(sub, { reason: 'Its owner has left.', at: 0 });
    await strike(room);
    forge.world.archive({ repo: 'acme/engine' });
    await strike(open);
    await services.deliver();
    for (const channel of [room, open]) expect(shown(channel)).not.toContain('Look at');
  });

  it('skips a repository without pull requests', async () => {
    await services.subscribe(room, 'acme/*');
    // a mirror, an empty one, or one where they are turned off
    services.forge.faults.add({ on: /^GET .*\/website\/pulls/, trouble: { status: 404 } });
    await strike(room);
    await services.deliver();
    expect(shown(room)).toContain('Look at acme/engine');
  });

  it('finds what a pattern covers among many others', async () => {
    const { world } = services.forge;
    for (let at = 0; at < 60; at++) world.createRepo({ as: 'ada', owner: 'acme', name: `aaa-${at}` });
    world.createRepo({ as: 'ada', owner: 'acme', name: 'zylinder' });
    world.push({ as: 'grace', repo: 'acme/zylinder', branch: 'main', commits: ['Start'] });
    world.push({ as: 'grace', repo: 'acme/zylinder', branch: 'waits', commits: ['Work'] });
    const { index } = world.openPull({ as: 'grace', repo: 'acme/zylinder', title: 'Look at zylinder', head: 'waits' });
    world.requestReview({ as: 'grace', repo: 'acme/zylinder', index, from: ['ada'] });
    await services.subscribe(room, 'acme/zyl*');
    await strike(room);
    await services.deliver();
    expect(shown(room)).toContain('Look at zylinder');
  });

  it('does not pile up while its channel is muted', async () => {
    await services.subscribe(room, 'acme/*');
    const place = { team: services.slack.teamId, channel: room };
    await services.store.outbox.pause(place, 'muted', services.now() + 5 * 86_400_000);
    for (const _day of ['mon', 'tue', 'wed']) {
      await strike(room);
      services.pass(86_400_000);
    }
    await services.store.outbox.resume(place);
    await services.deliver();
    expect(services.shown(room)).toHaveLength(1);
  });

  it('is tried for as long as it is of use while the forge is down', async () => {
    await services.subscribe(room, 'acme/*');
    const minute = new Date(services.now() - 60_000).toISOString().slice(11, 16);
    await keep(room, minute);
    await services.store.reminders.recordLook(services.now() - 3_600_000);
    services.forge.faults.add({ trouble: { status: 503 }, times: 10_000 });
    const connection = connect(services.url);
    const jobs = remindJobs(connection);
    await jobs.look();
    const running = await jobs.start(usualTempo.remindMs);
    const waits = async () => {
      await expect.poll(async () => (await jobs.queue.getDelayed()).length).toBe(1);
      return jobs.queue.getDelayed();
    };
    for (let tries = 0; tries < 10; tries++) for (const job of await waits()) await job.promote();
    const last = await waits();
    services.forge.faults.clear();
    // the client asks a forge that failed often only now and then
    services.pass(60_000);
    for (const job of last) await job.promote();
    const place = { team: services.slack.teamId, channel: room };
    await expect.poll(() => services.store.outbox.size(place)).toBe(1);
    await running.stop();
    await close(connection);
  });
});
