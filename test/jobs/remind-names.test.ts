import { expect, it } from 'vitest';
import { readPolicyFile } from '../../src/config/file.js';
import { createForge } from '../../src/forge/index.js';
import { createRemindJobs } from '../../src/jobs/remind.js';
import { createLog } from '../../src/log.js';
import { useFeed } from './feed-services.js';

const room = 'C0PRIVATE1';
const owner = 'U0ADA00001';
const services = useFeed({ people: { ada: owner } });

/** A reminder about the channel's subscriptions, by someone who can see more than that. */
async function strike(
  repositories: { id: number; owner: string; name: string }[] = [],
  { bots = false, between }: { readonly bots?: boolean; between?(): Promise<unknown> } = {},
): Promise<string> {
  const client = createForge({ url: services.forge.url });
  const { store, service, now } = services;
  const about = { days: ['daily'], time: '09:00', zone: 'Etc/UTC', labels: [], without: [], drafts: false };
  const place = { team: services.slack.teamId, channel: room };
  await store.reminders.put({ ...about, ...place, owner, id: 'r1', personal: false, repositories, bots });
  await between?.();
  const jobs = createRemindJobs({
    connection: store.redis,
    store,
    service,
    as: async () => client.as({ kind: 'token', token: services.forge.account('ada').token() }),
    people: { slackUserOf: async () => undefined },
    policy: readPolicyFile('bots: [grace]', 'bellows.yaml'),
    log: createLog({ level: 'silent' }),
    now,
  });
  await jobs.remind('r1', now());
  await jobs.queue.close();
  await client.close();
  await services.deliver();
  return JSON.stringify(services.slack.state.messages(room));
}

/** A list in which this repository has another owner. */
const ofAnother = (name: string) => (body: unknown) =>
  JSON.parse(JSON.stringify(body), (_key, value) =>
    value?.name === name ? { ...value, owner: { ...value.owner, id: 999 } } : value,
  );

function waits(repo: string): number {
  const { world } = services.forge;
  world.push({ as: 'grace', repo, branch: 'waits', commits: ['Work'] });
  const { index } = world.openPull({ as: 'grace', repo, title: `Look at ${repo}`, head: 'waits' });
  world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
  return world.repo(repo).id;
}

it('shows no other repository because someone changed a name in Redis', async () => {
  const engine = waits('acme/engine');
  waits('acme/vault');
  await services.subscribe(room, 'acme/engine');
  const names = 'bellows:{f0:subs}:names';
  expect(await services.store.redis.hget(names, `r${engine}`)).toBe('acme/engine');
  await services.store.redis.hset(names, `r${engine}`, 'acme/vault');
  expect(await strike()).not.toContain('vault');
});

it('shows the repository it was created for, not one that took its name', async () => {
  const engine = waits('acme/engine');
  const vault = waits('acme/vault');
  expect(await strike([{ id: engine, owner: 'acme', name: 'vault' }])).not.toContain('vault');
  expect(await strike([{ id: vault, owner: 'acme', name: 'vault' }])).toContain('Look at acme/vault');
});

it('shows nothing of another owner that the forge lists beside theirs', async () => {
  waits('acme/engine');
  waits('acme/website');
  await services.subscribe(room, 'acme/*');
  services.forge.faults.add({ on: 'GET /repos/search', times: 10, trouble: { bend: ofAnother('website') } });
  const seen = await strike();
  expect(seen).toContain('Look at acme/engine');
  expect(seen).not.toContain('website');
});

it('shows nobody’s own reviews in a channel because someone wrote a reminder into Redis', async () => {
  const vault = waits('acme/vault');
  const { redis } = services.store;
  const all = 'bellows:{f0:reminders}:all';
  const forge = async () => {
    const stored = (await redis.hget(all, 'r1')) ?? '';
    const plain = JSON.parse(stored.slice(stored.indexOf('{')));
    await redis.hset(all, 'r1', JSON.stringify({ ...plain, personal: true }));
  };
  const seen = await strike([{ id: vault, owner: 'acme', name: 'vault' }], { between: forge });
  expect(seen).not.toContain('Look at acme/vault');
});

it('shows the bots of the repository it was created for, not of one that took its name', async () => {
  const engine = waits('acme/engine');
  const vault = waits('acme/vault');
  expect(await strike([{ id: engine, owner: 'acme', name: 'vault' }], { bots: true })).not.toContain('vault');
  expect(await strike([{ id: vault, owner: 'acme', name: 'vault' }], { bots: true })).toContain('acme/vault');
});
